//! How rigs name their joints.
//!
//! One row per naming convention: `part=name|other name`. Names are written as [`normalize`] leaves them. `@`
//! stands for the side (left, l, 左 / right, r, 右), which makes one entry name both sides; `#` in a finger's name
//! is the phalanx, counted from 1, and `%` the same counted from 0.
//! The rows are facts about public rigs: what Mixamo, CMU, MakeHuman, Unreal and the others call their bones.

use super::humanoid::{Part, Phalanx, Side};

/// The conventions in order of preference: where two name equally many parts, the earlier one is taken.
pub(super) const CONVENTIONS: &[(&str, &str)] = &[
    (
        "Mixamo",
        "\
        hips=hips spine=spine chest=spine1 upperchest=spine2 neck=neck head=head head_end=headtopend \
        eye=@eye clavicle=@shoulder upperarm=@arm forearm=@forearm hand=@hand thigh=@upleg shin=@leg \
        foot=@foot toe=@toebase thumb=@handthumb# index=@handindex# middle=@handmiddle# ring=@handring# \
        pinky=@handpinky#",
    ),
    (
        "CMU_cgspeed",
        "\
        hips=hips spine=lowerback chest=spine upperchest=spine1 neck=neck head=head clavicle=@shoulder \
        upperarm=@arm forearm=@forearm hand=@hand thigh=@upleg shin=@leg foot=@foot toe=@toebase",
    ),
    (
        "CMU_DAZ_friendly",
        "\
        hips=hip spine=abdomen chest=chest neck=neck head=head eye=eye@ clavicle=@collar upperarm=@shldr \
        forearm=@forearm hand=@hand thigh=@thigh shin=@shin foot=@foot toe=toe11@",
    ),
    (
        "MocapNET_CMU_MakeHuman",
        "\
        hips=hip spine=abdomen chest=chest neck=neck head=head eye=eye@ clavicle=@collar \
        upperarm=@shoulder|@shldr forearm=@elbow|@forearm hand=@hand thigh=@hip|@thigh shin=@knee|@shin \
        foot=@foot toe=toe11@",
    ),
    (
        "LAFAN1",
        "\
        hips=hips spine=spine chest=spine1 upperchest=spine2 neck=neck head=head clavicle=@shoulder \
        upperarm=@arm forearm=@forearm hand=@hand thigh=@upleg shin=@leg foot=@foot toe=@toe|@toebase",
    ),
    (
        "SMPL",
        "\
        hips=pelvis spine=spine1 chest=spine2 upperchest=spine3 neck=neck head=head clavicle=@collar \
        upperarm=@shoulder forearm=@elbow hand=@wrist thigh=@hip shin=@knee foot=@ankle toe=@foot",
    ),
    (
        "SMPLX_HumanML3D",
        "\
        hips=pelvis spine=spine1 chest=spine2 upperchest=spine3 neck=neck head=head eye=@eyesmplhf \
        clavicle=@collar upperarm=@shoulder forearm=@elbow hand=@wrist thigh=@hip shin=@knee foot=@ankle \
        toe=@foot thumb=@thumb# index=@index# middle=@middle# ring=@ring# pinky=@pinky#",
    ),
    (
        "HumanML_BVH_MoMask",
        "\
        hips=hips spine=spine chest=spine1 upperchest=spine2 neck=neck head=head clavicle=@shoulder \
        upperarm=@arm forearm=@forearm hand=@hand thigh=@upleg shin=@leg foot=@foot toe=@toe",
    ),
    (
        "VRM1",
        "\
        hips=hips spine=spine chest=chest upperchest=upperchest neck=neck head=head eye=@eye \
        clavicle=@shoulder upperarm=@upperarm forearm=@lowerarm hand=@hand thigh=@upperleg shin=@lowerleg \
        foot=@foot toe=@toes thumb1=@thumbmetacarpal thumb2=@thumbproximal thumb3=@thumbdistal \
        index1=@indexproximal index2=@indexintermediate index3=@indexdistal middle1=@middleproximal \
        middle2=@middleintermediate middle3=@middledistal ring1=@ringproximal ring2=@ringintermediate \
        ring3=@ringdistal pinky1=@littleproximal pinky2=@littleintermediate pinky3=@littledistal",
    ),
    (
        "VRoid",
        "\
        hips=chips spine=cspine chest=cchest upperchest=cupperchest neck=cneck head=chead eye=jadj@faceeye \
        clavicle=@shoulder upperarm=@upperarm forearm=@lowerarm hand=@hand thigh=@upperleg shin=@lowerleg \
        foot=@foot toe=@toebase",
    ),
    (
        "Unreal_Mannequin",
        "\
        hips=pelvis spine=spine01 chest=spine02 upperchest=spine03 neck=neck01 head=head clavicle=clavicle@ \
        upperarm=upperarm@ forearm=lowerarm@ hand=hand@ thigh=thigh@ shin=calf@ foot=foot@ toe=ball@ \
        thumb=thumb0#@ index=index0#@ middle=middle0#@ ring=ring0#@ pinky=pinky0#@",
    ),
    (
        "Unreal_Mannequin_UE5",
        "\
        hips=pelvis spine=spine01 chest=spine03 upperchest=spine05 neck=neck01 head=head clavicle=clavicle@ \
        upperarm=upperarm@ forearm=lowerarm@ hand=hand@ thigh=thigh@ shin=calf@ foot=foot@ toe=ball@ \
        thumb=thumb0#@ index=index0#@ middle=middle0#@ ring=ring0#@ pinky=pinky0#@",
    ),
    (
        "MBLab",
        "\
        hips=pelvis spine=spine01 chest=spine02 upperchest=spine03 neck=neck head=head clavicle=clavicle@ \
        upperarm=upperarm@ forearm=lowerarm@ hand=hand@ thigh=thigh@ shin=calf@ foot=foot@ toe=toes@ \
        thumb=thumb0#@ index=index0#@ middle=middle0#@ ring=ring0#@ pinky=pinky0#@",
    ),
    (
        "Rigify_Metarig",
        "\
        hips=spine spine=spine001 chest=spine002 upperchest=spine003 neck=spine004 head=spine006 eye=eye@ \
        clavicle=shoulder@ upperarm=upperarm@ forearm=forearm@ hand=hand@ thigh=thigh@ shin=shin@ \
        foot=foot@ toe=toe@ thumb=thumb0#@ index=findex0#@ middle=fmiddle0#@ ring=fring0#@ pinky=fpinky0#@",
    ),
    (
        "DAZ_Genesis8",
        "\
        hips=hip spine=abdomenlower chest=chestlower upperchest=chestupper neck=necklower head=head \
        eye=@eye clavicle=@collar upperarm=@shldrbend forearm=@forearmbend hand=@hand thigh=@thighbend \
        shin=@shin foot=@foot toe=@toe thumb=@thumb# index=@index# middle=@mid# ring=@ring# pinky=@pinky#",
    ),
    (
        "Poser_DAZ_gen4",
        "\
        hips=hip spine=abdomen chest=chest neck=neck head=head eye=@eye clavicle=@collar upperarm=@shldr \
        forearm=@forearm hand=@hand thigh=@thigh shin=@shin foot=@foot toe=@toe thumb=@thumb# index=@index# \
        middle=@mid# ring=@ring# pinky=@pinky#",
    ),
    (
        "Poser_lower_threejs_pirouette",
        "\
        hips=hip spine=abdomen chest=chest neck=neck clavicle=@collar upperarm=@shldr forearm=@forearm \
        hand=@hand thigh=@thigh shin=@shin foot=@foot",
    ),
    (
        "3dsMax_Biped_Bip01",
        "\
        hips=pelvis spine=spine chest=spine1 upperchest=spine2 neck=neck head=head clavicle=@clavicle \
        upperarm=@upperarm forearm=@forearm hand=@hand thigh=@thigh shin=@calf foot=@foot toe=@toe0 \
        thumb1=@finger0 thumb2=@finger01 thumb3=@finger02 index1=@finger1 index2=@finger11 index3=@finger12 \
        middle1=@finger2 middle2=@finger21 middle3=@finger22 ring1=@finger3 ring2=@finger31 ring3=@finger32 \
        pinky1=@finger4 pinky2=@finger41 pinky3=@finger42",
    ),
    (
        "Valve_Biped",
        "\
        hips=pelvis spine=spine chest=spine2 upperchest=spine4 neck=neck1 head=head1 clavicle=@clavicle \
        upperarm=@upperarm forearm=@forearm hand=@hand thigh=@thigh shin=@calf foot=@foot toe=@toe0",
    ),
    (
        "Truebones_Biped",
        "\
        hips=pelvis spine=spine chest=spine1 upperchest=spine2 neck=neck head=head clavicle=@clavicle \
        upperarm=@upperarm forearm=@forearm hand=@hand thigh=@thigh shin=@calf foot=@foot toe=@toe0",
    ),
    (
        "Truebones_BN_creature",
        "\
        hips=bnbip01pelvis spine=bnspine01 head=bnhead01 upperarm=bnarm@01 forearm=bnarm@02 hand=bnarm@03 \
        thigh=bnleg@01 shin=bnleg@02 foot=bnleg@03",
    ),
    (
        "Doom3_MD5_id",
        "\
        hips=hips spine=waist chest=chest upperchest=shoulders neck=neck head=head clavicle=@shldr \
        upperarm=@uparm forearm=@loarm hand=@hand thigh=@upleg shin=@loleg foot=@ankler|@ankle \
        toe=@ballr|@toe thumb1=@thumblo thumb2=@thumbmid thumb3=@thumbtip index1=@indexbase \
        index2=@indexmid index3=@indextip ring1=@ringbase ring2=@ringmid ring3=@ringtip pinky1=@pinkybase \
        pinky2=@pinkymid pinky3=@pinkytip",
    ),
    (
        "MD5_katsbits_Bob",
        "\
        hips=pelvis spine=spine neck=neck head=head upperarm=upperarm@ forearm=forearm@ hand=wrist@ \
        thigh=thigh@ shin=shin@ foot=ankle@ toe=toe@ thumb1=thumb@",
    ),
    (
        "MakeHuman_default",
        "\
        hips=root spine=spine05 chest=spine03 upperchest=spine01 neck=neck01 head=head eye=eye@ \
        clavicle=clavicle@ upperarm=upperarm01@ forearm=lowerarm01@ hand=wrist@ thigh=upperleg01@ \
        shin=lowerleg01@ foot=foot@ toe=toe11@|toe21@ thumb=finger1#@ index=finger2#@ middle=finger3#@ \
        ring=finger4#@ pinky=finger5#@",
    ),
    (
        "MakeHuman_legacy_mhx",
        "\
        hips=root spine=spine1 chest=spine2 upperchest=spine3 neck=neck head=head eye=eye@ \
        clavicle=clavicle@ upperarm=uparm@ forearm=loarm@ hand=hand@ thigh=upleg@ shin=loleg@ foot=foot@ \
        toe=toe@ thumb=thumb#@ index=index#@ middle=middle#@ ring=ring#@ pinky=pinky#@",
    ),
    (
        "Xsens_MVN_segments",
        "\
        hips=pelvis spine=l5 chest=t12 upperchest=t8 neck=neck head=head clavicle=@shoulder \
        upperarm=@upperarm forearm=@forearm hand=@hand thigh=@upperleg shin=@lowerleg foot=@foot toe=@toe",
    ),
    (
        "Xsens_BVH",
        "\
        hips=hips spine=chest chest=chest3 upperchest=chest4 neck=neck head=head clavicle=@collar \
        upperarm=@shoulder forearm=@elbow hand=@wrist thigh=@hip shin=@knee foot=@ankle toe=@toe",
    ),
    (
        "OptiTrack_Biovision",
        "\
        hips=hips|hip spine=ab|chest chest=chest2|chest neck=neck head=head clavicle=@collar \
        upperarm=@shoulder forearm=@elbow hand=@wrist thigh=@hip shin=@knee foot=@ankle toe=@toes|@toe",
    ),
    (
        "Biovision_classic",
        "\
        hips=hips chest=chest neck=neck head=head clavicle=@collar upperarm=@uparm forearm=@lowarm \
        hand=@hand thigh=@upleg shin=@lowleg foot=@foot",
    ),
    (
        "Rokoko_Newton",
        "\
        hips=hips|hip spine=spine1|spine chest=spine2 upperchest=spine3 neck=neck head=head \
        clavicle=@shoulder upperarm=@arm forearm=@forearm hand=@hand thigh=@thigh|@upleg shin=@shin|@leg \
        foot=@foot toe=@toe thumb1=@finger1metacarpal thumb2=@finger1proximal thumb3=@finger1distal \
        index1=@finger2proximal index2=@finger2medial index3=@finger2distal middle1=@finger3proximal \
        middle2=@finger3medial middle3=@finger3distal ring1=@finger4proximal ring2=@finger4medial \
        ring3=@finger4distal pinky1=@finger5proximal pinky2=@finger5medial pinky3=@finger5distal",
    ),
    (
        "Perception_Neuron",
        "\
        hips=hips spine=spine chest=spine2 upperchest=spine3 neck=neck head=head clavicle=@shoulder \
        upperarm=@arm forearm=@forearm hand=@hand thigh=@upleg shin=@leg foot=@foot toe=@toebase \
        thumb=@handthumb# index=@handindex# middle=@handmiddle# ring=@handring# pinky=@handpinky#",
    ),
    (
        "MotionBuilder_HumanIK",
        "\
        hips=hips spine=spine chest=spine1 upperchest=spine2 neck=neck head=head clavicle=@shoulder \
        upperarm=@arm forearm=@forearm hand=@hand thigh=@upleg shin=@leg foot=@foot toe=@toebase \
        thumb=@handthumb# index=@handindex# middle=@handmiddle# ring=@handring# pinky=@handpinky#",
    ),
    (
        "Geno_LAFAN_resolved",
        "\
        hips=hips spine=spine chest=spine2 upperchest=spine3 neck=neck head=head head_end=headend \
        clavicle=@shoulder upperarm=@arm forearm=@forearm hand=@hand thigh=@upleg shin=@leg foot=@foot \
        toe=@toebase",
    ),
    (
        "Bandai_Namco",
        "\
        hips=hips spine=spine chest=chest neck=neck head=head clavicle=shoulder@ upperarm=upperarm@ \
        forearm=lowerarm@ hand=hand@ thigh=upperleg@ shin=lowerleg@ foot=foot@ toe=toes@",
    ),
    (
        "HAnim_X3D",
        "\
        hips=sacroiliac spine=vl5 chest=vt12 upperchest=vt1 neck=vc4 head=skullbase \
        clavicle=@sternoclavicular upperarm=@shoulder forearm=@elbow hand=@wrist|@radiocarpal thigh=@hip \
        shin=@knee foot=@ankle|@talocrural toe=@metatarsal|@metatarsophalangeal2",
    ),
    (
        "SecondLife_Bento",
        "\
        hips=mpelvis|hip spine=mtorso|abdomen chest=mchest|chest neck=mneck|neck head=mhead|head eye=meye@ \
        clavicle=mcollar@ upperarm=mshoulder@ forearm=melbow@ hand=mwrist@ thigh=mhip@ shin=mknee@ \
        foot=mankle@ toe=mfoot@|mtoe@",
    ),
    (
        "CharacterCreator",
        "\
        hips=ccbasehip spine=ccbasewaist chest=ccbasespine01 upperchest=ccbasespine02 \
        neck=ccbasenecktwist01 head=ccbasehead eye=ccbase@eye clavicle=ccbase@clavicle \
        upperarm=ccbase@upperarm forearm=ccbase@forearm hand=ccbase@hand thigh=ccbase@thigh \
        shin=ccbase@calf foot=ccbase@foot toe=ccbase@toebase",
    ),
    (
        "AutoRigPro",
        "\
        hips=rootx spine=spine01x chest=spine02x upperchest=spine03x neck=neckx head=headx \
        clavicle=shoulder@ upperarm=armstretch@ forearm=forearmstretch@ hand=hand@ thigh=thighstretch@ \
        shin=legstretch@ foot=foot@ toe=toes01@",
    ),
    (
        "MMD_Japanese",
        "\
        hips=下半身 spine=上半身 chest=上半身2 neck=首 head=頭 eye=@目 clavicle=@肩 upperarm=@腕 forearm=@ひじ hand=@手首 \
        thigh=@足 shin=@ひざ foot=@足首 toe=@つま先 thumb1=@親指０ thumb2=@親指１ thumb3=@親指２ index1=@人指１ index2=@人指２ \
        index3=@人指３ middle1=@中指１ middle2=@中指２ middle3=@中指３ ring1=@薬指１ ring2=@薬指２ ring3=@薬指３ pinky1=@小指１ \
        pinky2=@小指２ pinky3=@小指３",
    ),
    (
        "ARKit_Apple",
        "\
        hips=hipsjoint spine=spine1joint chest=spine4joint upperchest=spine7joint neck=neck1joint \
        head=headjoint eye=@eyejoint clavicle=@shoulder1joint upperarm=@armjoint forearm=@forearmjoint \
        hand=@handjoint thigh=@uplegjoint shin=@legjoint foot=@footjoint toe=@toesjoint",
    ),
];

/// Prefixes that rigs put before every bone's name, lower case, without the separator behind them.
/// `bip` and `mixamorig` may carry a number.
const PREFIXES: [&str; 11] = [
    "mixamorig",
    "bip",
    "valvebiped.bip01",
    "valvebiped_bip01",
    "j_bip",
    "joint",
    "m_avg",
    "model",
    "skeleton",
    "def",
    "org",
];

const fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '_' | '.' | '-')
}

/// `name` in lower case without its namespace (all up to the last `:` or `|`), a known prefix, and separators.
pub(super) fn normalize(name: &str) -> String {
    let bare = name.rsplit([':', '|']).next().unwrap_or(name).to_lowercase();
    let rest = PREFIXES.iter().find_map(|prefix| {
        let rest = bare.strip_prefix(prefix)?;
        let rest = match *prefix {
            "mixamorig" | "bip" => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
            _ => rest,
        };
        let tail = rest.trim_start_matches(is_separator);
        (tail.len() < rest.len() && !tail.is_empty()).then_some(tail)
    });
    rest.unwrap_or(&bare)
        .chars()
        .filter(|&c| !is_separator(c))
        .collect()
}

/// One entry of a convention with its pattern taken apart.
pub(super) struct Entry {
    part: &'static str,
    before: &'static str,
    after: &'static str,
    sided: bool,
    phalanx: Option<(usize, u8)>,
}

/// The entries of a row, alternatives in order.
pub(super) fn entries(row: &'static str) -> impl Iterator<Item = Entry> {
    row.split_whitespace().flat_map(|field| {
        let (part, names) = field.split_once('=').unwrap_or((field, ""));
        names.split('|').map(move |name| {
            let (before, after) = name.split_once('@').unwrap_or((name, ""));
            let digit = |text: &str| text.find(['#', '%']);
            let first = if name.contains('%') { 0 } else { 1 };
            Entry {
                part,
                before,
                after,
                sided: name.contains('@'),
                phalanx: digit(name).map(|_| (usize::from(digit(before).is_none()), first)),
            }
        })
    })
}

const SIDE_WORDS: [(&str, Side); 6] = [
    ("left", Side::Left),
    ("right", Side::Right),
    ("l", Side::Left),
    ("r", Side::Right),
    ("左", Side::Left),
    ("右", Side::Right),
];

impl Entry {
    /// The part that `name` (normalized) is by this entry.
    pub(super) fn matches(&self, name: &str) -> Option<Part> {
        if !self.sided {
            return (self.before == name).then(|| Part::central(self.part)).flatten();
        }
        let (before, after) = (self.before, self.after);
        let (rest, early) = self.strip(before, 0, name)?;
        SIDE_WORDS.iter().find_map(|&(word, side)| {
            let rest = rest.strip_prefix(word)?;
            let (rest, late) = self.strip(after, 1, rest)?;
            rest.is_empty()
                .then(|| self.part_of(early.or(late), side))
                .flatten()
        })
    }

    /// The part that a name with its side already taken off is by this entry, wherever the convention puts the side.
    pub(super) fn matches_base(&self, base: &str, side: Side) -> Option<Part> {
        if !self.sided {
            return None;
        }
        let (rest, early) = self.strip(self.before, 0, base)?;
        let (rest, late) = self.strip(self.after, 1, rest)?;
        rest.is_empty()
            .then(|| self.part_of(early.or(late), side))
            .flatten()
    }

    /// Takes `pattern` off the start of `name`; a phalanx digit in it is read.
    fn strip<'a>(&self, pattern: &str, half: usize, name: &'a str) -> Option<(&'a str, Option<Phalanx>)> {
        let Some((place, first)) = self.phalanx.filter(|(place, _)| *place == half) else {
            return Some((name.strip_prefix(pattern)?, None));
        };
        debug_assert_eq!(place, half, "filtered above");
        let (head, tail) = pattern.split_once(['#', '%'])?;
        let rest = name.strip_prefix(head)?;
        let digit = rest.bytes().next()?.checked_sub(b'0' + first)?;
        let phalanx = *Phalanx::ALL.get(usize::from(digit))?;
        Some((rest[1..].strip_prefix(tail)?, Some(phalanx)))
    }

    fn part_of(&self, phalanx: Option<Phalanx>, side: Side) -> Option<Part> {
        match phalanx {
            None => Part::sided(self.part, side),
            Some(phalanx) => match Part::sided(&format!("{}1", self.part), side)? {
                Part::Finger(side, finger, _) => Some(Part::Finger(side, finger, phalanx)),
                _ => None,
            },
        }
    }
}

/// The side that a raw name speaks of as a word of its own (`L_Foot`, `foot.l`, `Foot Left`), and the rest normalized.
pub(super) fn split_side(name: &str) -> Option<(Side, String)> {
    let bare = name.rsplit([':', '|']).next().unwrap_or(name);
    let words: Vec<&str> = bare.split(is_separator).filter(|word| !word.is_empty()).collect();
    let side_of = |word: &str| {
        let lower = word.to_lowercase();
        let found = SIDE_WORDS.iter().find(|(known, _)| *known == lower);
        found.map(|&(_, side)| side)
    };
    if let Some(place) = words.iter().position(|word| side_of(word).is_some()) {
        let side = side_of(words[place])?;
        let rest = [&words[..place], &words[place + 1..]].concat().join("_");
        return Some((side, normalize(&rest)));
    }
    let lower = normalize(name);
    ["left", "right"]
        .into_iter()
        .zip(Side::BOTH)
        .find_map(|(word, side)| {
            let rest = lower.strip_prefix(word).or_else(|| lower.strip_suffix(word))?;
            Some((side, rest.to_owned()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(row: &'static str, name: &str) -> Option<String> {
        let name = normalize(name);
        entries(row)
            .find_map(|entry| entry.matches(&name))
            .map(|part| part.to_string())
    }

    #[test]
    fn every_row_names_known_parts_and_the_limbs() {
        for (convention, row) in CONVENTIONS {
            for entry in entries(row) {
                let known = if entry.sided {
                    let digit = if entry.phalanx.is_some() { "1" } else { "" };
                    Part::sided(&format!("{}{digit}", entry.part), Side::Left).is_some()
                } else {
                    Part::central(entry.part).is_some()
                };
                assert!(known, "{convention}: {}", entry.part);
                assert!(
                    !entry.before.is_empty() || !entry.after.is_empty(),
                    "{convention}: {}",
                    entry.part
                );
            }
            for limb in ["upperarm=", "forearm=", "hand=", "thigh=", "shin=", "foot="] {
                assert!(row.contains(limb), "{convention} has no {limb}");
            }
        }
    }

    #[test]
    fn names_of_public_rigs_are_read() {
        let row = |name: &str| CONVENTIONS.iter().find(|(known, _)| *known == name).unwrap().1;
        for (convention, name, part) in [
            ("Mixamo", "mixamorig:LeftHandIndex2", "l_index2"),
            ("Mixamo", "mixamorig12_RightUpLeg", "r_thigh"),
            ("Mixamo", "HIPS", "hips"),
            ("3dsMax_Biped_Bip01", "Bip001 L UpperArm", "l_upperarm"),
            ("3dsMax_Biped_Bip01", "Bip01 R Finger21", "r_middle2"),
            ("Unreal_Mannequin", "Armature|index_03_r", "r_index3"),
            ("MakeHuman_default", "finger1-2.L", "l_thumb2"),
            ("Valve_Biped", "ValveBiped.Bip01_L_Calf", "l_shin"),
            ("VRoid", "J_Bip_R_UpperLeg", "r_thigh"),
            ("MMD_Japanese", "左ひじ", "l_forearm"),
            ("MMD_Japanese", "右人指２", "r_index2"),
        ] {
            assert_eq!(
                find(row(convention), name).as_deref(),
                Some(part),
                "{convention}: {name}"
            );
        }
        assert_eq!(find(row("Mixamo"), "mixamorig:LeftHandIndex9"), None);
        assert_eq!(find(row("Mixamo"), ""), None);
    }

    #[test]
    fn sides_are_found_wherever_they_stand() {
        for name in ["L_Foot", "foot.l", "Foot Left", "LeftFoot", "rig:foot_left"] {
            assert_eq!(split_side(name), Some((Side::Left, "foot".into())), "{name}");
        }
        assert_eq!(split_side("pelvis"), None);
    }
}
