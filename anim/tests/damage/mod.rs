//! Random damage to files, always the same.
#![allow(unreachable_pub, reason = "a helper of tests")]

/// A small generator with a fixed seed (xorshift, Marsaglia 2003).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).expect("48 bits") % below.max(1)
    }
}

/// Changes a few bytes, repeats or removes a piece, or writes a hostile word.
pub fn mutate(text: &[u8], words: &[&str], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.next(4) {
        let at = random.next(text.len() + 1);
        let end = (at + random.next(40)).min(text.len());
        match random.next(6) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, text[at..end].to_vec()).count()),
            2 => drop(
                text.splice(at..end, words[random.next(words.len())].bytes())
                    .count(),
            ),
            3 => drop(
                text.splice(at..at, words[random.next(words.len())].bytes())
                    .count(),
            ),
            4 => text.truncate(at.max(text.len() / 4)),
            _ => {
                if let Some(byte) = text.get_mut(at) {
                    *byte = random.next(256).to_le_bytes()[0];
                }
            }
        }
    }
    text
}
