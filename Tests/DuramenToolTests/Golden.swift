/// What the program prints, to the letter.
enum Golden {
    static let help = """
        OVERVIEW: Looks after stores and models of Duramen and Core Data.

        'duramen --version' prints the version of this program.

        USAGE: duramen <subcommand>

        OPTIONS:
          -h, --help              Show help information.

        SUBCOMMANDS:
          info                    Prints what a store holds: its entities, how many
                                  rows they have, its metadata.
          fetch                   Prints the objects of an entity that fulfil a
                                  condition.
          count                   Prints how many objects of an entity fulfil a
                                  condition.
          explain                 Prints which part of a fetch the store answers
                                  itself, and how.
          predicate               Works with conditions in the language of format
                                  strings.
          history                 Prints who changed what in a store, oldest first.
          model                   Works with model files: .xcdatamodeld bundles,
                                  .xcdatamodel folders, contents files.
          verify                  Reads everything that a store holds, compares it, and
                                  prints checksums of it.
          backup                  Copies a store, as it is at one moment, while others
                                  use it.
          restore                 Replaces a store, which nobody has open, with a
                                  backup of its kind.
          salvage                 Copies what can be read of a damaged store into a new
                                  one.
          convert                 Copies what a store holds into a new store of another
                                  kind.
          export                  Writes what a store holds as JSON Lines, a file for
                                  each entity.
          import                  Imports JSON into a store without duplicates, or
                                  makes a store of an export.
          migrate                 Shows what becomes of a store in another version of
                                  its model, and does it.
          schema                  Prints the SQL statements that make a store on
                                  PostgreSQL.

          See 'duramen help <subcommand>' for detailed help.

        """

    static let infoHelp = """
        OVERVIEW: Prints what a store holds: its entities, how many rows they have, its
        metadata.

        Reads a store of Duramen (SQLite, LMDB or PostgreSQL) or of Core Data (SQLite),
        which may be in use, and changes nothing in it. Exits with 0, with 1 when the
        store cannot be read, and with 64 when the arguments are wrong.

        USAGE: duramen info <store> [--model-of <store>] [--model <path>] [--version <name>] [--check] [--apple] [--json]

        ARGUMENTS:
          <store>                 A path, 'sqlite:PATH', 'lmdb:PATH' or
                                  'postgres://HOST/DATABASE'.

        OPTIONS:
          --model-of <store>      Another store, which keeps the model when this one
                                  keeps none.
          --model <path>          A model file: a bundle, a folder of one version, or a
                                  contents file.
          --version <name>        The version of --model by the name of its folder; the
                                  current one if none.
          --check                 Also look for references to rows, and for files of
                                  values, that are missing.
          --apple                 Also list in what an SQLite store differs from files
                                  that Core Data makes.
          --json                  Print JSON.
          -h, --help              Show help information.


        """

    static let sqlite = """
        store       sqlite PATH
        identifier  UUID
        written by  Duramen, format 4
        model       unnamed, checksum WDaMBJuCFqArepQ+4iR0Z2NxH/bGJ1e0bq+hJQXwAa0=
        metadata    note = two\\nlines
        metadata    opened = 3

        entities
          name    parent  attributes  relationships  rows  hash
          Book    -                1              1     2  3FzahlEZXqKc
          Person  -                0              1     1  1uwk26nHu1OK
          Poet    Person           0              1     1  WrHnsGcxkVzD

        """

    static let lmdb = """
        store       lmdb PATH
        identifier  UUID
        written by  Duramen, format 4
        model       unnamed, checksum WDaMBJuCFqArepQ+4iR0Z2NxH/bGJ1e0bq+hJQXwAa0=
        metadata    note = two\\nlines
        metadata    opened = 3

        entities
          name    parent  attributes  relationships  rows  hash
          Book    -                1              1     2  3FzahlEZXqKc
          Person  -                0              1     1  1uwk26nHu1OK
          Poet    Person           0              1     1  WrHnsGcxkVzD

        """

    static let apple = """
        store       sqlite PATH
        identifier  374C5961-3E41-43E5-915C-383EA914074C
        written by  Core Data, framework 637
        model       2
        metadata    io.objc.Moody.CloudKitUserID = _62a0ed0ad3b375fc9ec7fdf66dfd9c63

        entities
          name              parent            attributes  relationships  rows  dangling  missing files  hash
          GeographicRegion  -                          5              0     0         0              0  wOAlFkyzDgwH
          Continent         GeographicRegion           6              1     2         0              0  GV6z8sXBat8I
          Country           GeographicRegion           5              2     3         0              0  K6AnzAVupL2Z
          Mood              -                          9              1     4         0              0  SjcR5Vdq/wxI

        findings
          Mood.colors: transformable; read as binary data as it is stored
          Mood.colors: 4 values in a form that only the application's transformer knows

        """
}
