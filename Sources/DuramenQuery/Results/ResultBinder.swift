import DuramenModel

/// Determines the values of each row that a result query needs, and how results are computed.
struct ResultBinder {
    var query: ResultQuery
    let entity: Entity
    let model: ManagedObjectModel
    var keys: [ResultKeyExpression] = []
    var aggregates: [ResultAggregate] = []
    /// The variables of keys and aggregates by the text of their expressions, which is compared by
    /// bytes.
    var keyVariables: [StoredText: String] = [:]
    var aggregateVariables: [StoredText: String] = [:]
    /// The types of all variables.
    var types: [(name: String, type: ExpressionType)] = []
    /// All expressions that are evaluated for rows.
    var rowExpressions: [FetchExpression] = []

    init(_ query: ResultQuery, entity: Entity, model: ManagedObjectModel) {
        self.query = query
        self.entity = entity
        self.model = model
    }

    mutating func bind() throws(FetchPredicateError) -> BoundResultQuery {
        if let predicate = query.predicate {
            let lowered = try predicate.lowered(for: entity, in: model)
            _ = try PredicateBinder(model: model, entity: entity, scope: VariableScope())
                .bind(lowered)
            query.predicate = lowered
        }
        try checkNames()
        try lowerColumns()
        try lowerHaving()
        let isGrouped = try isGrouped()
        return isGrouped ? try bindGroups() : try bindRows()
    }

    // MARK: - Columns

    private func checkNames() throws(FetchPredicateError) {
        if query.columns.isEmpty {
            throw error(.invalidColumn, "The result has no columns. Name at least one.")
        }
        var names: Set<StoredText> = []
        for name in query.columns.map(\.name) {
            if name.isEmpty { throw error(.invalidColumn, "A column has no name. Give it one.") }
            if !names.insert(StoredText(name)).inserted {
                throw error(
                    .invalidColumn,
                    "Two columns are called '\(name)'. Give one of them another name.")
            }
        }
    }

    private mutating func lowerColumns() throws(FetchPredicateError) {
        for place in query.columns.indices {
            let lowered = try query.columns[place].expression.lowered(
                for: entity, in: model, keepsAggregates: true)
            query.columns[place].expression = canonical(lowered)
        }
    }

    /// Returns whether there is one result for each group.
    private func isGrouped() throws(FetchPredicateError) -> Bool {
        var isGrouped = !query.groupBy.isEmpty
        for column in query.columns where try hasAggregate(column.expression) { isGrouped = true }
        if !isGrouped, query.having != nil {
            throw error(
                .invalidAggregate,
                "A condition on groups stands where nothing is grouped. Put it into the predicate, or "
                    + "group by something.")
        }
        return isGrouped
    }

    // MARK: - Results of rows

    private mutating func bindRows() throws(FetchPredicateError) -> BoundResultQuery {
        var columns: [ResultPart] = []
        for column in query.columns {
            let bound = try bound(column.expression)
            try checkColumn(column.name, bound.type)
            if query.isDistinct { try checkKey(column.name, bound.type) }
            columns.append(.key(addKey(column.expression, bound)))
        }
        let sortKeys = try sortKeys(columns, allowsOthers: !query.isDistinct)
        // Distinct results are groups by all columns.
        return made(columns, having: nil, sortKeys, isGrouped: query.isDistinct)
    }

    // MARK: - Results of groups

    private mutating func bindGroups() throws(FetchPredicateError) -> BoundResultQuery {
        try addGroups()
        var columns: [ResultPart] = []
        for column in query.columns {
            let expression = try overGroup(column.expression)
            let type = try type(of: expression)
            try checkColumn(column.name, type)
            if query.isDistinct { try checkKey(column.name, type) }
            columns.append(part(expression))
        }
        var having: FetchPredicate?
        if let condition = query.having {
            let condition = try overGroup(condition)
            _ = try binder.bind(condition)
            having = condition
        }
        let sortKeys = try sortKeys(columns, allowsOthers: false)
        return made(columns, having: having, sortKeys, isGrouped: true)
    }

    private mutating func addGroups() throws(FetchPredicateError) {
        var paths: [[String]] = []
        for names in query.groupBy {
            try KeyPathResolver(model: model, entity: entity).checkLength(of: names)
            let path = ModelPath(names, from: entity, in: model)
            let expression = FetchExpression.keyPath(path.names + path.rest)
            if keyVariables[expression.writtenText] != nil { continue }
            // Fails for paths through a to-many.
            let resolver = KeyPathResolver(model: model, entity: entity)
            if case .toMany = try resolver.resolve(path.names + path.rest).last {
                throw error(
                    .invalidKeyPath,
                    "Grouping by '\(names.joinedPath)': it refers to several objects. Group by an "
                        + "attribute or a to-one.")
            }
            let bound = try bound(expression)
            try checkKey(names.joinedPath, bound.type)
            _ = addKey(expression, bound)
            paths.append(path.names + path.rest)
        }
        query.groupBy = paths
    }

    // MARK: - Pieces

    private func made(
        _ columns: [ResultPart], having: FetchPredicate?, _ sortKeys: [ResultSortKey],
        isGrouped: Bool
    ) -> BoundResultQuery {
        BoundResultQuery(
            query, isGrouped: isGrouped, keys: keys, aggregates: aggregates, columns: columns,
            having: having, sortKeys: sortKeys,
            slots: SlotSet(readBy: rowExpressions, of: entity, in: model))
    }

    /// Adds an expression of each row. An expression that is added twice has two indices.
    mutating func addKey(_ expression: FetchExpression, _ bound: BoundFetchExpression) -> Int {
        let variable = newVariable(for: expression)
        keyVariables[expression.writtenText] = variable
        types.append((variable, bound.type))
        rowExpressions.append(expression)
        var attribute: Attribute?
        if case .keyPath(let names) = expression.form, names.count == 1,
            case .attribute(let own)? = entity.property(named: names[0])
        {
            attribute = own
        }
        keys.append(
            ResultKeyExpression(
                variable: variable, expression: expression, bound: bound, attribute: attribute,
                isCalculated: !expression.isLeaf))
        return keys.count - 1
    }

    /// Returns a name for messages that no other variable has. Names are keys of dictionaries, so
    /// they must differ as strings, not only by their bytes.
    func newVariable(for expression: FetchExpression) -> String {
        let taken = Set(types.map(\.name))
        var name = expression.shape
        while taken.contains(name) { name += "'" }
        return name
    }

    func bound(
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> BoundFetchExpression {
        try expression.bound(to: entity, in: model)
    }

    /// The binder for expressions that are calculated from groups.
    private var binder: PredicateBinder {
        let scope = VariableScope()
        for (name, type) in types { _ = scope.add(name, type) }
        return PredicateBinder(model: model, entity: entity, scope: scope)
    }

    func type(of expression: FetchExpression) throws(FetchPredicateError) -> ExpressionType {
        try binder.expression(expression).type
    }

    func part(_ expression: FetchExpression) -> ResultPart {
        guard case .variable(let name) = expression.form else { return .calculated(expression) }
        if let place = keys.firstIndex(where: { $0.variable == name }) { return .key(place) }
        if let place = aggregates.firstIndex(where: { $0.variable == name }) {
            return .aggregate(place)
        }
        return .calculated(expression)
    }

    private func checkColumn(
        _ name: String, _ type: ExpressionType
    ) throws(FetchPredicateError) {
        if type.isCollection == true {
            throw error(
                .invalidColumn,
                "The column '\(name)' has several values. Use a function of them, such as @count."
            )
        }
    }

    /// Checks that the values of a key have an order.
    private func checkKey(_ name: String, _ type: ExpressionType) throws(FetchPredicateError) {
        if type.family == .encoded {
            throw error(
                .typeMismatch,
                "'\(name)' is transformable, and encoded values do not compare. Leave it out of what "
                    + "is grouped or distinct.")
        }
    }

    func error(_ code: FetchPredicateError.Code, _ message: String) -> FetchPredicateError {
        FetchPredicateError(code, entity: entity.name, message)
    }
}

extension FetchExpression {
    /// The text of the expression, which distinguishes expressions by their bytes.
    var writtenText: StoredText { StoredText(description) }
}
