public import Foundation

extension FetchPredicate {
    /// Converts a Foundation predicate to a predicate for every store:
    /// `FetchPredicate(#Predicate<Quake> { $0.magnitude >= 6 && $0.region?.name == "Honshu" })`.
    ///
    /// The result has the meaning of the Foundation predicate, with the rules of this library:
    /// - Text compares by its bytes. Foundation treats canonically equal texts as equal, and works
    ///   with characters. Here `count` is the number of Unicode scalars, and a regular expression's
    ///   `.` matches one scalar.
    /// - The result is null where Foundation fails with an error or a trap: `!` of nil, an index
    ///   out of range, division by zero. As always, order, text and range comparisons with null are
    ///   false.
    /// - Integers that get too large become doubles; floats are calculated as doubles.
    ///
    /// Captured values, which must be `Codable` for Foundation, become constants. They may have any
    /// ``PredicateValue`` type, enumerations with such raw values, other integer types, objects (as
    /// their IDs), and arrays, sets and ranges of them. A property of a captured value is read
    /// once, during the conversion. A managed object cannot be captured; compare its ID:
    /// `$0.region?.objectID == id`.
    /// - Throws: ``PredicateConversionError`` with the expression that cannot be converted and its
    ///   replacement. Whether the properties fit an entity is checked when the predicate is used.
    /// - Complexity: O(*n*) in the number of expressions, and of elements if a condition applies to
    ///   each element of a captured collection.
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
