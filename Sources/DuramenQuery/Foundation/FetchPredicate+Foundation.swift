public import Foundation

extension FetchPredicate {
    /// Turns a predicate of Foundation into one that every store can be asked:
    /// `FetchPredicate(#Predicate<Quake> { $0.magnitude >= 6 && $0.region?.name == "Honshu" })`.
    ///
    /// The result means what the predicate means, but under the laws of this library:
    /// - Text compares by its bytes. Foundation calls canonically equal texts equal, and takes them
    ///   apart into characters: `count` is here the number of Unicode scalars, and a regular
    ///   expression's `.` is one scalar.
    /// - Where Foundation stops with an error or a trap, the result is null: `!` of nil, a place
    ///   that an array does not have, division by zero. Order, text and ranges compared with null
    ///   are false, as ever here.
    /// - Whole numbers that get too large become doubles; floats are calculated as doubles.
    ///
    /// Captured values, which Foundation wants to be `Codable`, become constants: those of every
    /// ``PredicateValue`` type, of enumerations with such raw values, other integers, objects (as
    /// their IDs), and arrays, sets and ranges of them. A property of something captured is read
    /// once, now. A managed object cannot be captured; compare its ID: `$0.region?.objectID == id`.
    /// - Throws: ``PredicateConversionError``, which names the expression that has no counterpart
    ///   and says what to write instead. Whether the properties fit an entity is checked when the
    ///   predicate is used.
    /// - Complexity: O(*n*) in the number of expressions, and of elements where a condition is
    ///   asked of each element of a captured collection.
    public init<Object: QueryableObject>(
        _ predicate: Predicate<Object>
    ) throws(PredicateConversionError) {
        let conversion = PredicateConversion(object: predicate.variable.key)
        do throws(ConversionFailure) {
            self = try conversion.predicate(predicate.expression)
        } catch {
            throw error.conversionError
        }
        if let problem = PredicateComplexity.problem(self) {
            throw PredicateConversionError(.tooComplex, node: "Predicate", problem)
        }
    }
}
