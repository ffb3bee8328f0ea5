import DuramenModelFile
import Foundation

/// The command that the plugins run. It loads a model and writes its classes, or checks the models
/// of a target and the sources beside them.
///
///     DuramenGenerator MODEL OUTPUT [OPTIONS.json]
///     DuramenGenerator check [--freeze] FOLDER
@main enum DuramenGenerator {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        do {
            switch arguments.count {
            case 2 where arguments[0] == "check": try check(arguments[1], freezes: false)
            case 3 where arguments[0] == "check" && arguments[1] == "--freeze":
                try check(arguments[2], freezes: true)
            case 2...3:
                try generate(
                    from: arguments[0], to: arguments[1],
                    optionsPath: arguments.count > 2 ? arguments[2] : nil)
            default:
                fail(
                    """
                    usage: DuramenGenerator MODEL OUTPUT [OPTIONS.json]
                           DuramenGenerator check [--freeze] FOLDER
                    """, code: 64)
            }
        } catch {
            fail("\(error)", code: 1)
        }
    }

    private static func check(_ folder: String, freezes: Bool) throws(ModelFileError) {
        let check = try TargetCheck(folder: folder, freezes: freezes)
        for line in check.lines { write(line) }
        if check.errorCount > 0 { exit(1) }
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
