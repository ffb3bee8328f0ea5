import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// Typed expressions are the trees of format strings.
@Suite struct TypedExpressionTests {
    @Test func arithmeticIsThatOfFormatStrings() throws {
        try expectSame("magnitude + depth * 2.0 > 10.0") { $0.magnitude + $0.depth * 2 > 10 }
        try expectSame("(magnitude + depth) * 2.0 > reports") {
            ($0.magnitude + $0.depth) * 2 > $0.reports
        }
        try expectSame("10.0 - magnitude / 2.0 < 2.5") { 10 - $0.magnitude / 2 < 2.5 }
        try expectSame("modulus:by:(reports, 2) == 0") { $0.reports % 2 == 0 }
        try expectSame("reports * magnitude > 2.5") { $0.reports * $0.magnitude > 2.5 }
        try expectSame("magnitude * reports > 2.5") { $0.magnitude * $0.reports > 2.5 }
        try expectSame("damage / reports > %@", Decimal(100)) { $0.damage / $0.reports > 100 }
        try expectSame("damage * magnitude > 2.5") {
            $0.damage.typed(as: Double.self) * $0.magnitude > 2.5
        }
        try expectSame("-magnitude < -3.0") { -$0.magnitude < -3 }
        try expectSame("reports + 1 == reports - 1") { $0.reports + 1 == $0.reports - 1 }
        try expectSame("magnitude ** 2.0 > 36.0") { $0.magnitude.raised(to: 2) > 36 }
        try expectSame("magnitude ** reports > 36.0") { $0.magnitude.raised(to: $0.reports) > 36 }
        try expectSame("region.quakes.@count + tags.@count * 2 > 10") {
            $0.region.quakes.count + $0.tags.count * 2 > 10
        }
    }

    @Test func wholeNumbersHaveBits() throws {
        try expectSame("reports & 3 == 1") { $0.reports & 3 == 1 }
        try expectSame("reports | 4 == reports") { $0.reports | 4 == $0.reports }
        try expectSame("reports ^ 4 == 0") { $0.reports ^ 4 == 0 }
        try expectSame("reports << 2 > 8") { $0.reports << 2 > 8 }
        try expectSame("reports >> reports > 8") { $0.reports >> $0.reports > 8 }
        try expectSame("~reports < 8") { ~$0.reports < 8 }
    }

    @Test func datesMoveBySecondsAndDifferInSeconds() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        try expectSame("time > %@", date) { $0.time > date }
        try expectSame("time > now() - 86400.0") { $0.time > QueryExpression.fetchTime - 86_400 }
        try expectSame("time < now()") { $0.time < .fetchTime }
        try expectSame("time + 60.0 > %@", date) { $0.time + 60 > date }
        try expectSame("time + reports * 60 > time - depth") {
            $0.time + $0.reports * 60 > $0.time - $0.depth
        }
        try expectSame("now() - time < 3600.0") { QueryExpression.fetchTime - $0.time < 3_600 }
        try expectSame("time - %@ < 3600.0", date) { $0.time - date < 3_600 }
        try expectSame("%@ - time < 3600.0", date) { date - $0.time < 3_600 }
        let past = FetchPredicate(Quake.self) { $0.time > .now - 86_400 }
        guard case .comparison(let comparison) = past.form,
            case .constant(.date) = comparison.right.form
        else { return #expect(Bool(false), "\(past)") }
    }

    @Test func functionsOfNumbersAndTextAreCalled() throws {
        try expectSame("abs(magnitude) > 1.0") { $0.magnitude.absolute > 1 }
        try expectSame("floor(magnitude) == ceiling(depth)") {
            $0.magnitude.floor == $0.depth.ceiling
        }
        try expectSame("trunc(magnitude) == 2.0") { $0.magnitude.truncated == 2 }
        try expectSame("sqrt(reports) > 1.5") { $0.reports.squareRoot > 1.5 }
        try expectSame("log(magnitude) + ln(magnitude) < exp(depth)") {
            $0.magnitude.commonLogarithm + $0.magnitude.naturalLogarithm < $0.depth.exponential
        }
        try expectSame("random() < 0.5") { _ in QueryExpression.random < 0.5 }
        try expectSame("randomn(6) == reports") { QueryExpression.random(below: 6) == $0.reports }
        try expectSame("uppercase:(code) == 'A'") { $0.code.uppercased == "A" }
        try expectSame("lowercase:(code) BEGINSWITH note") {
            $0.code.lowercased.beginsWith($0.note)
        }
        try expectSame("canonical:(code) == canonical:(note)") { $0.code.folded == $0.note.folded }
        try expectSame("localized:(code) < localized:(note)") {
            $0.code.localizedKey < $0.note.localizedKey
        }
        try expectSame("length:(code) > 3") { $0.code.length > 3 }
        try expectSame("length:(wave) > reports") { $0.wave.length > $0.reports }
        try expectSame("noindex:(code) == 'a'") { $0.code.withoutIndex == "a" }
        try expectSame("distanceToLocation:fromLocation:({1.0, 2.0}, {depth, magnitude}) < 9.0") {
            QueryExpression.distance(
                from: QueryCollection(of: $0.depth.typed(as: Double.self), $0.magnitude),
                to: QueryCollection([1, 2])) < 9
        }
    }

    @Test func conditionalsChooseBetweenValues() throws {
        try expectSame("TERNARY(isFelt == YES, magnitude, 0.0) > 3.0") {
            QueryExpression(if: $0.isFelt == true, then: $0.magnitude, else: 0) > 3
        }
        try expectSame("TERNARY(depth == nil, 'none', code) == 'none'") {
            QueryExpression(if: $0.depth == nil, then: "none", else: $0.code) == "none"
        }
        try expectSame("TERNARY(depth == nil, code, note) == nil") {
            QueryExpression(if: $0.depth == nil, then: $0.code, else: $0.note) == nil
        }
        try expectSame("TERNARY(depth == nil, 1, 2) == reports") {
            QueryExpression(if: $0.depth == nil, then: 1, else: 2) == $0.reports
        }
        try expectSame("TERNARY(depth == nil, nil, code) == note") {
            QueryExpression(if: $0.depth == nil, then: nil, else: $0.code) == $0.note
        }
        try expectSame("TERNARY(depth != nil, depth, 0.0) < 3.0") {
            $0.depth.replacingNil(with: 0) < 3
        }
        try expectSame("TERNARY(code != nil, code, note) == 'a'") {
            $0.code.replacingNil(with: $0.note) == "a"
        }
    }

    @Test func castsTurnValuesIntoOtherTypes() throws {
        try expectSame("CAST(reports, 'NSString') == code") {
            $0.reports.cast(to: String.self) == $0.code
        }
        try expectSame("CAST(code, 'NSNumber') > 2.5") { $0.code.cast(to: Double.self) > 2.5 }
        try expectSame("CAST(time, 'NSNumber') > 2") { $0.time.cast(to: Int.self) > 2 }
        try expectSame("CAST(code, 'NSDecimalNumber') == damage") {
            $0.code.cast(to: Decimal.self) == $0.damage
        }
        try expectSame("CAST(reports, 'NSDate') < time") {
            $0.reports.cast(to: Date.self) < $0.time
        }
        try expectSame("CAST(code, 'NSUUID') == identifier") {
            $0.code.cast(to: UUID.self) == $0.identifier
        }
        try expectSame("CAST(code, 'NSURL') == link") { $0.code.cast(to: URL.self) == $0.link }
        try expectSame("CAST(code, 'NSData') == wave") { $0.code.cast(to: Data.self) == $0.wave }
        try expectSame("CAST(code, 'NSManagedObjectID') == SELF") {
            $0.code.cast(to: ManagedObjectID.self) == $0.objectID
        }
    }

    @Test func anyAttributeIsAsked() throws {
        try expectSame("ANYKEY CONTAINS 'a'") { $0.anyAttribute(String.self).contains("a") }
        try expectSame("ANY tags (ANYKEY == 'a')") {
            $0.tags.any { $0.anyAttribute(String.self) == "a" }
        }
        let refused = [
            FetchPredicate(Quake.self) { $0.region.anyAttribute(String.self) == "a" },
            FetchPredicate(Quake.self) { quake in
                quake.tags.any { _ in quake.anyAttribute(String.self) == "a" }
            },
            FetchPredicate(Quake.self) { quake in
                quake.tags.any { $0.name == quake.code && $0.anyAttribute(String.self) == "a" }
            },
        ]
        #expect(
            refused.map { bindingError($0)?.code } == [.unknownProperty, nil, .unknownProperty])
    }
}
