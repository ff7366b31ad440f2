struct Counts {
    // Palette slots of one character.
    slots: u32,
    // Vertices of one character.
    vertices: u32,
    characters: u32,
    unused: u32,
}
