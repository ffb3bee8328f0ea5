import DuramenModel
import DuramenQuery
import Testing

/// Expects that a typed condition on quakes is the tree of a format string, and fits the model.
func expectSame(
    _ format: String, _ arguments: any PredicateArgument...,
    sourceLocation: SourceLocation = #_sourceLocation,
    as condition: (EntityPath<Quake>) -> FetchPredicate
) throws {
    let typed = FetchPredicate(Quake.self, condition)
    let read = try FetchPredicate(format: format, arguments: arguments)
    #expect(typed == read, sourceLocation: sourceLocation)
    let error = bindingError(typed)
    #expect(error == nil || error?.code == .missingVariable, sourceLocation: sourceLocation)
}
