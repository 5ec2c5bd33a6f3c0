internal import SeifCommandLine

/// One line that can be typed, and what it is for.
struct Example: Sendable, Equatable {
  let line: String
  let about: String
  /// What it ends with in the folder of the tests; nil where it is ended by them.
  let exitCode: ExitCode?

  init(_ line: String, _ about: String, exitCode: ExitCode? = .done) {
    self.line = line
    self.about = about
    self.exitCode = exitCode
  }
}

/// Examples for each command, shown in its help and its page of the manual.
///
/// Tests run every line as it stands, in a folder with the files that the lines name, a vault, and a desktop.
enum Examples {
  static func of(_ command: any Command.Type) -> [Example] {
    // By its type: a test's own commands may have the same names.
    let isOurs = CommandTable.all.contains { ObjectIdentifier($0) == ObjectIdentifier(command) }
    return isOurs ? byCommand[command.name] ?? [] : []
  }

  static let byCommand: [String: [Example]] = [
    "open": [
      Example("seif open phone.authbackup", "the codes in a backup; nothing is saved"),
      Example("seif open phone.authbackup --json >names.json", "what is in it but for the secrets, for a script"),
    ],
    "inspect": [Example("seif inspect phone.authbackup", "what anyone can read in it")],
    "verify": [Example("seif verify phone.authbackup", "each rule of its format, one a line")],
    "convert": [
      Example(
        "seif convert phone.authbackup --to uri-list -o -", "otpauth URIs on standard output, in clear",
        exitCode: .partial),
      Example("seif convert old.json --to authbackup -o new.authbackup", "seal a file in clear"),
    ],
    "formats": [Example("seif formats", "what is read and written")],
    "init": [
      Example("seif init --vault work --recovery-sheet sheet.txt", "a second vault, in the folder work")
    ],
    "unlock": [
      Example("seif unlock", "commands find the vault open from now on"),
      Example("seif unlock --lock-after 30m", "for longer without use"),
    ],
    "lock": [Example("seif lock", "and closed again")],
    "agent": [
      Example("timeout 1 seif agent", "what a session's service runs; unlock starts it by itself", exitCode: nil)
    ],
    "agent status": [Example("seif agent status", "which vaults are open, and for how long")],
    "status": [Example("seif status", "the vault, its ways in, its last proven backup")],
    "paths": [Example("seif paths", "where things lie")],
    "list": [
      Example("seif list --kind login --sort name", "all logins, by name"),
      Example("seif list --tag work --json", "what is tagged so, for a script"),
    ],
    "show": [
      Example("seif show forge", "one entry, its secrets masked"),
      Example("seif show forge --reveal", "and with them"),
    ],
    "history": [Example("seif history forge", "when its passwords before were replaced")],
    "code": [
      Example("seif code github", "the code, and how long it is good for"),
      Example("CODE=$(seif code GitHub:ana@example.com)", "for a script: the plain code"),
      Example("seif code github --copy", "to the clipboard instead of the screen"),
    ],
    "copy": [
      Example("seif copy forge", "the password, gone after 30 s"),
      Example("seif copy forge user --for 10", "the user name, gone after 10 s"),
    ],
    "tui": [
      // Where the tests run it there is no terminal.
      Example("seif tui", "look around, copy, reveal for ten seconds; q quits", exitCode: .usage),
      Example("seif tui --plain --lock-after 15m", "the same by lines and numbers", exitCode: .usage),
    ],
    "generate": [
      Example("seif generate --length 24 --no-look-alikes", "a password that can be read out"),
      Example("seif generate --words 6", "a phrase of six words, 60 bits"),
    ],
    "add": [
      Example("seif add code --name Forge --secret-file uri.txt", "an account from its Key URI"),
      Example("seif generate | seif add login --name Shop --account ana --secret-fd 0", "a login with a new password"),
    ],
    "edit": [Example("seif edit forge --tag work --favorite", "change what is named, and no more")],
    "remove": [Example("seif remove gitlab", "into the bin")],
    "undo": [Example("seif undo", "take the last change back")],
    "bin list": [Example("seif bin list", "what can be brought back")],
    "bin restore": [Example("seif bin restore gitlab", "bring it back")],
    "doctor": [
      Example("seif doctor", "check this machine and every value"),
      Example("seif doctor --locked --json", "without the passphrase, for a script"),
    ],
    "audit": [Example("seif audit", "passwords to change")],
    "leak-test": [Example("seif leak-test", "whether Seif leaves secrets on this machine")],
    "import": [
      Example("seif import phone.authbackup --dry-run", "what would happen"),
      Example("seif import phone.authbackup", "take the entries in"),
    ],
    "export": [
      Example("seif export --to authbackup -o all.authbackup --yes", "the whole vault as a sealed file, unasked")
    ],
    "backup create": [
      Example("seif backup create --destination backups", "make a backup and prove that it opens")
    ],
    "backup schedule": [
      Example(
        "seif backup schedule --destination nas --every 24h --on-change",
        "by a timer and on change; this vault has no destination nas", exitCode: .notFound)
    ],
    "backup run": [
      Example("seif backup run", "what the timer runs; here nothing is scheduled", exitCode: .notFound)
    ],
    "backup list": [Example("seif backup list --destination backups", "which there are, and which are proven")],
    "backup inspect": [
      Example(
        "seif backup inspect --destination ./backups", "what anyone can read in the newest; here there is none",
        exitCode: .notFound)
    ],
    "backup verify": [
      Example(
        "seif backup verify --all --destination backups", "whether all are there as they were proven; here none was",
        exitCode: .notFound)
    ],
    "backup prune": [
      Example("seif backup prune --destination backups --dry-run", "which would go, and why the others stay")
    ],
    "backup forget": [
      Example("seif backup forget /media/stick", "a stick that is lost; here it never had one", exitCode: .notFound)
    ],
    "backup rule": [
      Example("seif backup rule", "how old the last backup may be"),
      Example("seif backup rule --every 7d --places 1", "a week, in one place"),
    ],
    "backup automatic": [
      Example("seif backup automatic", "where backups of other machines are looked for"),
      Example(
        "seif backup automatic --destination nas", "look at nas; this vault has no destination nas",
        exitCode: .notFound),
    ],
    "backup restore": [
      Example(
        "seif backup restore --destination backups", "what the newest backup holds, into the vault; here there is none",
        exitCode: .notFound)
    ],
    "drill": [
      Example(
        "seif drill --destination backups", "restore the newest into a vault that is thrown away", exitCode: .notFound)
    ],
    "transport add": [
      Example("seif transport add folder shelf --set path=$PWD/backups", "a folder, tried out, under the name shelf")
    ],
    "transport list": [Example("seif transport list", "where backups can go by name")],
    "transport test": [Example("seif transport test ./backups", "whether a place does what backups need")],
    "transport remove": [
      Example(
        "seif transport remove nas", "forget a destination; this vault has none of that name", exitCode: .notFound)
    ],
    "run": [
      Example("DB=seif://forge/password seif run -- printenv DB", "a secret in a variable, masked in what is printed"),
      Example("seif run --fd 3=seif://forge/password -- cat /dev/fd/3", "by a descriptor, in no environment"),
    ],
    "inject": [
      Example("echo 'user = {{ seif://forge/username }}' | seif inject -o app.conf", "a template filled, for you alone")
    ],
    "git-credential": [
      Example("git config --global credential.helper '!seif git-credential'", "let git ask Seif for its logins")
    ],
    "docs init": [Example("seif docs init --kit kit.txt", "a folder for documents, and a kit to print")],
    "docs ls": [Example("seif docs ls --tree", "everything in it")],
    "docs mkdir": [Example("seif docs mkdir Home/Papers --parents", "a folder and the one above it")],
    "docs put": [
      Example("seif docs put contract.pdf --to Home --parents", "seal a file into the folder Home"),
      Example("cat contract.pdf | seif docs put - --name copy.pdf", "what another program writes"),
    ],
    "docs get": [Example("seif docs get contract.pdf -o opened.pdf", "open a document under another name")],
    "docs cat": [Example("seif docs cat contract.pdf | wc -c", "how long it is; nothing is left on the disk")],
    "docs mv": [Example("seif docs mv contract.pdf Old", "into another folder of the vault")],
    "docs rename": [Example("seif docs rename contract.pdf 'Contract 2026.pdf'", "another name")],
    "docs rm": [Example("seif docs rm contract.pdf", "out of the table of contents, for now")],
    "docs undo": [Example("seif docs undo", "what was removed last is back")],
    "docs fav": [Example("seif docs fav contract.pdf", "mark a favourite")],
    "docs usage": [Example("seif docs usage", "how many of each kind, and how large")],
    "docs sync": [Example("seif docs sync backups/documents", "a sealed copy that is kept up to date")],
    "docs kit": [
      Example("seif docs kit -o second.txt --docs-code-file code.txt", "another copy of the recovery kit")
    ],
    "docs keep": [Example("seif docs keep --docs-code-file code.txt", "the key into your vault, by the recovery code")],
    "docs rotate": [Example("seif docs rotate --files --kit new-kit.txt", "after a theft: everything under a new key")],
    "docs doctor": [Example("seif docs doctor", "whether every document is there and opens")],
    "docs accept-rollback": [
      Example("seif docs accept-rollback", "after you put an older copy back; here there is none")
    ],
    "login": [
      Example("seif login https://docs.example.org --name ana", "this machine may keep documents there", exitCode: nil)
    ],
    "logout": [Example("seif logout", "the server forgets this machine", exitCode: nil)],
    "serve": [
      Example("seif serve", "on this machine alone", exitCode: nil),
      Example(
        "seif serve --origin https://docs.example.org --trusted-proxy 127.0.0.1", "behind a proxy that has TLS",
        exitCode: nil),
    ],
    "serve user add": [
      Example("seif serve user add ana --origin https://docs.example.org", "prints the link that Ana opens")
    ],
    "serve user list": [Example("seif serve user list", "who keeps how much")],
    "serve user disable": [Example("seif serve user disable ana", "she can't sign in; her documents stay")],
    "serve user reset": [Example("seif serve user reset ana --second-factors", "her phone is gone")],
    "serve user quota": [Example("seif serve user quota ana 50G", "more room")],
    "serve user remove": [Example("seif serve user remove ana --yes", "with all that she kept")],
    "serve backup": [Example("seif serve backup copy-of-server", "a whole copy, while it runs")],
    "serve check": [Example("seif serve check", "whether each sealed document is as it was stored")],
    "keys list": [Example("seif keys list", "what opens the vault, and what each is worth to a thief")],
    "keys add": [
      Example("seif keys add recovery --recovery-sheet drawer.txt", "another code, on a sheet to print"),
      Example("seif keys add tpm2", "this machine opens the vault", exitCode: nil),
    ],
    "keys remove": [
      Example("seif keys remove recovery --yes", "the code that was lost, where another way in is strong")
    ],
    "keys passphrase": [Example("seif keys passphrase", "another passphrase in the place of the old one")],
    "keys test": [  // The pinentry of the tests knows no code.
      Example("seif keys test", "does each of them still open the vault?", exitCode: .checkFailed)
    ],
    "keys rotate": [
      Example(
        "seif keys rotate --recovery-sheet drawer.txt --drop recovery", "after a theft: everything under a new key")
    ],
    "destroy": [Example("seif destroy --vault old", "the end of the vault in the folder old", exitCode: nil)],
    "qr": [Example("seif qr github --yes -o github.png", "a picture for a phone; remove it afterwards")],
    "completion": [Example("seif completion bash >seif.bash", "the script as a file")],
  ]
}
