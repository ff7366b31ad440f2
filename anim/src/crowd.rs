//! Many characters in one frame.

use std::sync::Mutex;

/// One `T` for each thread that works on a crowd: what a frame needs and no character keeps (a
/// [`Scratch`](crate::Scratch), a pose, matrices).
///
/// They are clones of the first one, made when a frame first runs on more threads than there are; after that nothing
/// is allocated here. Without the feature `rayon` there is only the first.
#[derive(Debug)]
pub struct Workers<T> {
    /// Never empty. A lock is held by its own thread only.
    each: Vec<Mutex<T>>,
    #[cfg_attr(not(feature = "rayon"), expect(dead_code, reason = "for further threads"))]
    first: T,
}

impl<T: Clone> Workers<T> {
    /// Workers that begin as `first`.
    #[must_use]
    pub fn new(first: T) -> Self {
        Self {
            each: vec![Mutex::new(first.clone())],
            first,
        }
    }
}

impl<T: Clone + Default> Default for Workers<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Runs `frame` for every character, with what the thread works in: on all threads of the current rayon pool with
/// the feature `rayon`, else one after the other.
///
/// No character sees another and no result depends on which thread made it, as long as `frame` writes to its
/// character alone and leaves nothing in the worker that the next one reads: then every number of threads gives the
/// same bits.
///
/// What a character is is yours: a struct with its [`Animux`](crate::Animux) and what the renderer needs, or a slice
/// of references into an engine's own storage. Events go into a list of the character's own, to be looked at
/// afterwards in an order that is yours too.
///
/// A `frame` that itself waits for the pool (a parallel loop inside) may find its worker in use; it gets a clone
/// then, which allocates.
///
/// ```
/// use elea_anim::{Animux, Pose, Scratch, Skeleton, SkinBinding, Workers, animate_many, local_to_model, palette};
/// use elea_anim::{Joint, Transform, glam::{Affine3A, Vec3, Vec4}};
///
/// struct Character { animux: Animux, palette: Vec<[Vec4; 3]> }
/// #[derive(Clone)]
/// struct Worker { scratch: Scratch, pose: Pose, model: Vec<Affine3A> }
///
/// # let joint = Joint { name: "root".into(), parent: None, rest: Transform::from_translation(Vec3::Y) };
/// # let skeleton = Skeleton::new(vec![joint])?;
/// # let binding = SkinBinding::from_rest_pose(&skeleton)?;
/// let joints = skeleton.len();
/// let character = || Character { animux: Animux::new(&skeleton), palette: vec![[Vec4::ZERO; 3]; joints] };
/// let mut crowd: Vec<Character> = (0..100).map(|_| character()).collect();
/// let mut workers = Workers::new(Worker {
///     scratch: Scratch::new(),
///     pose: Pose::identity(joints),
///     model: vec![Affine3A::IDENTITY; joints],
/// });
///
/// // Every frame:
/// animate_many(&mut crowd, &mut workers, |character, worker| {
///     let _ = character.animux.advance(1.0 / 60.0, |_| {});
///     let _ = character.animux.evaluate(&skeleton, &mut worker.scratch, &mut worker.pose);
///     local_to_model(&skeleton, &worker.pose, &mut worker.model);
///     palette(&worker.model, &binding, &mut character.palette);
/// });
/// assert_eq!(crowd[99].palette[0], [Vec4::X, Vec4::Y, Vec4::Z]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn animate_many<C: Send, T: Clone + Send + Sync>(
    characters: &mut [C],
    workers: &mut Workers<T>,
    frame: impl Fn(&mut C, &mut T) + Sync,
) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;

        let threads = rayon::current_num_threads();
        while workers.each.len() < threads {
            workers.each.push(Mutex::new(workers.first.clone()));
        }
        let workers = &*workers;
        characters.par_iter_mut().for_each(|character| {
            // In a pool every thread has an index of its own below their number.
            let index = rayon::current_thread_index().unwrap_or(0);
            match workers.each[index].try_lock() {
                Ok(mut worker) => frame(character, &mut worker),
                // What a panic left behind is a worker all the same: nothing in it is read before it is written.
                Err(std::sync::TryLockError::Poisoned(worker)) => frame(character, &mut worker.into_inner()),
                Err(std::sync::TryLockError::WouldBlock) => frame(character, &mut workers.first.clone()),
            }
        });
    }
    #[cfg(not(feature = "rayon"))]
    for worker in workers.each.iter_mut().take(1) {
        let worker = worker
            .get_mut()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for character in &mut *characters {
            frame(character, worker);
        }
    }
}
