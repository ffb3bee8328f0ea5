public import Foundation

/// One change of a store's model, as the store notes it.
public struct StoreMigrationRecord: Sendable, Hashable, Codable {
    /// The checksum of the model before.
    public var source: String
    /// The checksum of the model afterwards.
    public var target: String
    /// When it was done.
    public var date: Date
    /// The number of the save that it was; saves before it are those of the model before.
    public var save: Int64

    /// Describes a change.
    public init(source: String, target: String, date: Date, save: Int64) {
        self.source = source
        self.target = target
        self.date = date
        self.save = save
    }
}
