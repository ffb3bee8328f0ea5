import DuramenModel
import Foundation
import Testing

/// Rules that a model can keep, and those that it refuses.
struct RuleTests {
    private func attribute(
        _ type: AttributeType, _ change: (inout AttributeRules) -> Void
    ) -> AttributeDescription {
        var attribute = AttributeDescription("a", type)
        change(&attribute.rules)
        return attribute
    }

    @Test func rulesThatFitAreKept() throws {
        let described = [
            attribute(.integer16) { $0.minimum = .integer(1) },
            attribute(.date) { $0.maximum = .date(.distantFuture) },
            attribute(.double) {
                $0.minimum = .double(1)
                $0.maximum = .double(1)
            },
            attribute(.string) {
                $0.minimumLength = 0
                $0.maximumLength = 0
                $0.pattern = "[a-z]*"
            },
            attribute(.uri) { $0.pattern = "https:.*" },
        ]
        for attribute in described {
            let model = try ManagedObjectModel([
                EntityDescription(name: "Quake", attributes: [attribute])
            ])
            #expect(model.entities[0].attributes[0].rules == attribute.rules)
        }
    }

    @Test func rulesThatDoNotFitAreRefused() {
        let described = [
            attribute(.string) { $0.minimum = .text("a") },
            attribute(.boolean) { $0.maximum = .boolean(true) },
            attribute(.integer16) { $0.maximum = .integer(40_000) },
            attribute(.double) { $0.minimum = .integer(1) },
            attribute(.double) { $0.minimum = .double(.nan) },
            attribute(.date) {
                $0.minimum = .date(Date(timeIntervalSinceReferenceDate: 1))
                $0.maximum = .date(Date(timeIntervalSinceReferenceDate: 0))
            },
            attribute(.integer64) { $0.minimumLength = 1 },
            attribute(.string) { $0.minimumLength = -1 },
            attribute(.string) {
                $0.minimumLength = 3
                $0.maximumLength = 2
            },
            attribute(.integer64) { $0.pattern = "1" },
            attribute(.string) { $0.pattern = "(" },
        ]
        for attribute in described {
            #expect(findings(attribute) == [Finding(.invalidRule, "Quake", "a")], "\(attribute)")
        }
    }

    @Test func transientAttributesHaveNoRules() {
        for type in [AttributeType.undefined, .string] {
            var attribute = AttributeDescription("a", type, isTransient: true)
            attribute.rules.maximumLength = 1
            #expect(findings(attribute) == [Finding(.invalidRule, "Quake", "a")])
        }
    }

    @Test func rulesAreNoPartOfTheVersion() throws {
        let plain = try ManagedObjectModel([
            EntityDescription(name: "Quake", attributes: [AttributeDescription("a", .string)])
        ])
        let ruled = try ManagedObjectModel([
            EntityDescription(
                name: "Quake", attributes: [attribute(.string) { $0.maximumLength = 1 }])
        ])
        #expect(plain.versionChecksum == ruled.versionChecksum)
    }
}
