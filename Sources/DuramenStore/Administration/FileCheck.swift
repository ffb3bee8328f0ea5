/// When a store checks the structure of its whole file before an engine uses it.
///
/// LMDB trusts its file, and a damaged file would end the process. So the store reads the file
/// before the engine does. In memory this takes half a second per gigabyte of large rows, and up to
/// one and a half of small rows. Otherwise it takes as long as the disk needs. Stores whose engine
/// detects damage itself, such as SQLite's, do no such check.
public enum FileCheck: String, Sendable, Hashable, CaseIterable {
    /// Checks a file of up to 512 MiB at every opening. Checks a larger file if it may have changed
    /// since its last user closed it, or if the last check is older than a day.
    case automatic
    /// Checks at every opening.
    case always
    /// Checks if the size, inode, time of change or engine numbers differ from those that the last
    /// user left. Bit rot on the disk changes none of these, so a damaged file can crash a process
    /// or give wrong results.
    case whenChanged
}
