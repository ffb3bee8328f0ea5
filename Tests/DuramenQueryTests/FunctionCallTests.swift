import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct FunctionCallTests {
    @Test(arguments: FetchFunction.allCases)
    func aWrongNumberOfArgumentsGivesNull(_ function: FetchFunction) {
        for count in 0...3 where !function.arity.contains(count) {
            let arguments = [QueryValue](repeating: .value(.integer(1)), count: count)
            #expect(function.call(arguments) == .null, "\(function) of \(count)")
        }
    }

    @Test func anExpressionWithAWrongNumberOfArgumentsGivesNull() throws {
        #expect(try FetchExpression.function(.uppercase, []).value() == .null)
        #expect(try FetchExpression.function(.add, [.selfObject]).value() == .null)
    }

    @Test func onlyWholeTextsAreNumbers() {
        for text in ["nan", "NaN", "-nan", "12abc", "", " ", "1 2", "0x", "--1", "e5"] {
            #expect(FetchCast.number.value(of: .text(StoredText(text))) == nil, "'\(text)'")
            #expect(FetchCast.decimal.value(of: .text(StoredText(text))) == nil, "'\(text)'")
        }
        for text in ["0x1F", "inf"] {
            #expect(FetchCast.decimal.value(of: .text(StoredText(text))) == nil, "'\(text)'")
        }
        for (text, number) in [(" -12.5 ", -12.5), ("1e3", 1000), ("+.5", 0.5)] {
            #expect(
                FetchCast.decimal.value(of: .text(StoredText(text))) == .decimal(Decimal(number)))
            #expect(FetchCast.number.value(of: .text(StoredText(text))) == .double(number))
        }
    }
}
