extension ToManyPath {
    /// Returns the values of an attribute of the destinations: `tags.name`. Nulls are left out.
    public func values<Value>(
        _ attribute: (EntityPath<Element>) -> AttributePath<Value>
    ) -> QueryCollection<Value> {
        QueryCollection(stepping { attribute($0).queryNames })
    }

    /// Returns the destinations of a to-one of all objects, one for each object: `quakes.region`.
    public func values<Destination>(
        _ toOne: (EntityPath<Element>) -> EntityPath<Destination>
    ) -> ToManyPath<Destination> {
        ToManyPath<Destination>(stepping { toOne($0).queryNames })
    }

    /// Returns all destinations of a to-many of the objects: `regions.quakes`.
    public func values<Destination>(
        _ toMany: (EntityPath<Element>) -> ToManyPath<Destination>
    ) -> ToManyPath<Destination> {
        var last: ToManyPath<Destination>?
        let whole = stepping { start in
            let path = toMany(start)
            last = path
            if case .keyPath(let names) = path.fetchExpression.form { return names }
            return [ClosureSubject.impossibleStep("a subquery behind a to-many")]
        }
        if case .keyPath(let names) = whole.form, last?.endsInToMany == true, endsInToMany {
            return ToManyPath<Destination>(queryNames: names)
        }
        return ToManyPath<Destination>(whole)
    }

    /// Returns the expression of a path that continues from the destinations.
    private func stepping(_ path: (EntityPath<Element>) -> [String]) -> FetchExpression {
        let subject = ClosureSubject()
        let names = subject.names(path(EntityPath(subject: subject)))
        if names.isEmpty { return fetchExpression }
        if case .keyPath(let start) = fetchExpression.form { return .keyPath(start + names) }
        return .property(fetchExpression, names)
    }
}

// MARK: - Functions of the values

extension ToManyPath {
    /// Returns the sum of an attribute; 0 without values: `quakes.@sum.magnitude`.
    public func sum<Value: PredicateNumber>(
        _ attribute: (EntityPath<Element>) -> AttributePath<Value>
    ) -> QueryExpression<Value.Wide> { values(attribute).sum }

    /// Returns the arithmetic mean of an attribute; null without values: `quakes.@avg.magnitude`.
    public func average<Value: PredicateNumber>(
        _ attribute: (EntityPath<Element>) -> AttributePath<Value>
    ) -> QueryExpression<Value.Mean> { values(attribute).average }

    /// Returns the smallest value of an attribute; null without values: `quakes.@min.magnitude`.
    public func min<Value>(
        _ attribute: (EntityPath<Element>) -> AttributePath<Value>
    ) -> QueryExpression<Value> { values(attribute).min }

    /// Returns the greatest value of an attribute; null without values: `quakes.@max.magnitude`.
    public func max<Value>(
        _ attribute: (EntityPath<Element>) -> AttributePath<Value>
    ) -> QueryExpression<Value> { values(attribute).max }

    /// Returns the median of an attribute; null without values: `median(quakes.magnitude)`.
    public func median<Value: PredicateNumber>(
        _ attribute: (EntityPath<Element>) -> AttributePath<Value>
    ) -> QueryExpression<Value.Mean> { values(attribute).median }

    /// Returns the standard deviation of an attribute; null without values:
    /// `stddev(quakes.magnitude)`.
    public func standardDeviation<Value: PredicateNumber>(
        _ attribute: (EntityPath<Element>) -> AttributePath<Value>
    ) -> QueryExpression<Double> { values(attribute).standardDeviation }
}
