import ExampleSupport
import Testing

@Suite struct TableTests {
    @Test func columnsAreAligned() {
        var table = Table([Table.Column("Section"), Table.Column("Packages", .trailing)])
        table.append(["libs", "92"])
        table.append(["administration", "1 041"])
        #expect(
            table.description == """
                Section         Packages
                --------------  --------
                libs                  92
                administration     1 041
                """)
    }

    @Test func missingCellsAreEmptyAndLinesDoNotEndInBlanks() {
        var table = Table([Table.Column("A"), Table.Column("B")])
        table.append(["x"])
        table.append(["x", "y", "z"])
        #expect(table.description == "A  B\n-  -\nx\nx  y")
    }

    @Test func wideAndCombinedCharactersKeepTheColumns() {
        var table = Table([Table.Column("A"), Table.Column("B")])
        table.append(["漢字", "1"])
        table.append(["e\u{301}", "2"])
        #expect(table.description == "A     B\n----  -\n漢字  1\ne\u{301}     2")
    }

    @Test func longCellsAreCut() {
        var table = Table([Table.Column("A", maximumWidth: 5)])
        table.append(["abcdef"])
        table.append(["abcde"])
        #expect(table.description == "A\n-----\nabcd…\nabcde")
    }

    @Test func controlCharactersDoNotReachTheTerminal() {
        var table = Table([Table.Column("A")])
        table.append(["a\u{1B}[2Jb\n"])
        #expect(table.description == "A\n-------\na\u{FFFD}[2Jb\u{FFFD}")
    }

    @Test func aTableWithoutRowsHasItsHead() {
        #expect(Table([Table.Column("A")]).description == "A\n-")
    }
}
