import DuramenModelFile
import Foundation

/// What the plugin runs: reads a model and writes its classes.
///
///     DuramenGenerator MODEL OUTPUT [OPTIONS.json]
@main enum DuramenGenerator {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        guard (2...3).contains(arguments.count) else {
            fail("usage: DuramenGenerator MODEL OUTPUT [OPTIONS.json]", code: 64)
        }
        do {
            try generate(
                from: arguments[0], to: arguments[1],
                optionsPath: arguments.count > 2 ? arguments[2] : nil)
        } catch {
            fail("\(error)", code: 1)
        }
    }

    private static func generate(
        from path: String, to output: String, optionsPath: String?
    ) throws(ModelFileError) {
        let options = try optionsPath.map(ModelCodeGenerator.Options.read) ?? .init()
        let bundle = try ModelBundle(path: path)
        let generated = try ModelCodeGenerator.current(of: bundle, options: options)
        for finding in generated.findings where finding.severity == .warning {
            write(finding.line(in: bundle.currentVersion?.path))
        }
        try generated.write(toPath: output)
    }

    private static func write(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        write(message)
        exit(code)
    }
}
