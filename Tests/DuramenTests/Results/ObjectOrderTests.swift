import Duramen
import Testing

/// The object itself against an ID, by the order of IDs.
struct ObjectOrderTests {
    private static let relations: [PredicateComparison.Operator] = [
        .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    @Test(arguments: StoreKind.allCases)
    func objectsComeBeforeAndAfterEachOther(kind: StoreKind) throws {
        let container = try Sales.shared(kind)
        let context = container.makeContext()
        let ids = try context.fetchObjectIDs(FetchRequest<Sale>())
        var others = ids
        // A temporary ID, those of another entity with keys of these, and of another store.
        let elsewhere = try StoreKind.memory.container(Sales.model).makeContext()
        others.append(Sale(context: elsewhere).objectID)
        others += try context.fetchObjectIDs(FetchRequest<Shop>())
        let store = try makeContainer().stores[0]
        others += ids.map { ManagedObjectID(store: store, entity: $0.entityHandle, key: $0.key) }
        others += ids.map {
            ManagedObjectID(store: $0.store, entity: ids[0].entityHandle, key: $0.key)
        }
        for other in others {
            for relation in Self.relations {
                for isTurned in [false, true] {
                    let expected = ids.filter { Self.holds($0, relation, other, isTurned) }
                    let condition = Self.condition(relation, other, isTurned)
                    let found = try context.fetchObjectIDs(FetchRequest<Sale>().where(condition))
                    #expect(found == expected, "\(condition)")
                    let rest = try context.fetchObjectIDs(
                        FetchRequest<Sale>().where(.not(condition)))
                    #expect(rest == ids.filter { !expected.contains($0) }, "NOT \(condition)")
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theObjectsOfAToManyHaveThatOrderToo(kind: StoreKind) throws {
        let context = try Sales.shared(kind).makeContext()
        let sales = try context.fetch(FetchRequest<Sale>())
        let condition = FetchPredicate.quantified(
            .any, keyPath: ["sales"], Self.condition(.greater, sales[4].objectID, false))
        let shops = try context.fetch(FetchRequest<Shop>().where(condition))
        #expect(shops.map(\.name) == ["Quay"])
    }

    @Test func otherThanTheObjectItselfHasNoOrder() throws {
        let context = try Sales.shared(.memory).makeContext()
        let shop = try #require(context.fetchObjectIDs(FetchRequest<Shop>()).first)
        for condition in [
            FetchPredicate.keyPath("shop", .greater, shop),
            Self.condition(.greater, nil, false),
            .comparison(PredicateComparison(.selfObject, .less, .keyPath(["shop"]))),
            .comparison(
                PredicateComparison(
                    .selfObject, .less, .constant(.objectID(shop)), options: .caseInsensitive)),
        ] {
            let error = #expect(throws: StoreError.self) {
                try context.fetchObjectIDs(FetchRequest<Sale>().where(condition))
            }
            #expect(error?.detail == "typeMismatch", "\(condition)")
        }
    }

    private static func condition(
        _ relation: PredicateComparison.Operator, _ id: ManagedObjectID?, _ isTurned: Bool
    ) -> FetchPredicate {
        let value = FetchExpression.constant(id.map { .objectID($0) } ?? .null)
        return .comparison(
            isTurned
                ? PredicateComparison(value, relation, .selfObject)
                : PredicateComparison(.selfObject, relation, value))
    }

    private static func holds(
        _ a: ManagedObjectID, _ relation: PredicateComparison.Operator, _ b: ManagedObjectID,
        _ isTurned: Bool
    ) -> Bool {
        let (a, b) = isTurned ? (b, a) : (a, b)
        return switch relation {
        case .less: a < b
        case .lessOrEqual: a < b || a == b
        case .greater: b < a
        default: b < a || a == b
        }
    }
}
