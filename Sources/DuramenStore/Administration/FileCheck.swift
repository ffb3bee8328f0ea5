/// When a store checks the structure of its whole file before an engine uses it.
///
/// LMDB trusts its file, and a damaged one would end the process, so the store reads the file
/// before the engine does: half a second per gigabyte of large rows that the system has in memory,
/// up to one and a half of small ones, and as long as the disk takes otherwise. Stores whose engine
/// finds damage itself, such as SQLite's, do no such check.
public enum FileCheck: String, Sendable, Hashable, CaseIterable {
    /// At every opening of a file of up to 512 MiB. Of a larger one when it may have changed since
    /// its last user closed it, and when the last check is older than a day.
    case automatic
    /// At every opening.
    case always
    /// Checks if the size, inode, time of change or engine numbers differ from those that the last
    /// user left. Bits that rot on the disk change none of these, so a damaged file can crash a
    /// process or give wrong answers.
    case whenChanged
}
