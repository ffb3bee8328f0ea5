import DuramenModelFile
import Foundation

/// Reads any bytes as a model file: what is read is written so that it reads the same, and whatever
/// is asked of it answers or throws.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzModelFile(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let document: ModelDocument
    do throws(ModelFileError) {
        document = try ModelDocument(contents: bytes)
    } catch {
        if error.description.isEmpty { fail("an error without a word") }
        return 0
    }
    do throws(ModelFileError) {
        let again = try ModelDocument(contents: Array(document.text.utf8))
        if again != document { fail("\(document.text)\nbecame\n\(again.text)") }
    } catch {
        fail("\(document.text)\n\(error)")
    }
    check(document)
    return 0
}

private func check(_ document: ModelDocument) {
    let mistakes = document.findings().contains { $0.severity == .error }
    let model = try? document.generatedModel()
    if mistakes != (model == nil) { fail("findings and model disagree\n\(document.text)") }
    for kind in ModelDocument.Entity.CodeGeneration.allCases {
        let code = try? ModelCodeGenerator(
            document, name: "Fuzzed", options: .init(codeGeneration: kind))
        if (code == nil) != mistakes { fail("no code for a model\n\(document.text)") }
    }
    // Of two things with one name, comparisons take the first.
    if !mistakes, !ModelComparison(from: document, to: document).isEmpty {
        fail("a model differs from itself\n\(document.text)")
    }
    _ = ModelDrawing(document, name: "Fuzzed").svg
}

/// Says what is wrong, which an optimised build's own words do not, and ends.
private func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    abort()
}
