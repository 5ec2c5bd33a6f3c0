internal import SeifCommandLine
internal import SeifServerCommands

/// Every command there is. Adding one is a line here.
package enum CommandTable {
  package static var all: [any Command.Type] {
    [
      OpenCommand.self, InspectCommand.self, VerifyCommand.self, ConvertCommand.self, FormatsCommand.self,
      InitCommand.self, UnlockCommand.self, LockCommand.self, AgentCommand.self, AgentStatusCommand.self,
      StatusCommand.self,
      PathsCommand.self, ListCommand.self, ShowCommand.self, CodeCommand.self, CopyCommand.self, TUICommand.self,
      GenerateCommand.self,
      AddCommand.self,
      EditCommand.self, HistoryCommand.self,
      RemoveCommand.self, UndoCommand.self, BinListCommand.self,
      BinRestoreCommand.self, DoctorCommand.self, AuditCommand.self, LeakTestCommand.self,
      KeysListCommand.self, KeysAddCommand.self, KeysRemoveCommand.self, KeysPassphraseCommand.self,
      KeysTestCommand.self, KeysRotateCommand.self, DestroyCommand.self,
      ImportCommand.self, ExportCommand.self, BackupCreateCommand.self, BackupListCommand.self,
      BackupInspectCommand.self, BackupVerifyCommand.self, BackupRestoreCommand.self, BackupPruneCommand.self,
      BackupForgetCommand.self,
      BackupRuleCommand.self, BackupAutomaticCommand.self, BackupScheduleCommand.self, BackupRunCommand.self,
      DrillCommand.self,
      TransportAddCommand.self, TransportListCommand.self, TransportTestCommand.self, TransportRemoveCommand.self,
      DocsInitCommand.self, DocsListCommand.self, DocsMakeFolderCommand.self, DocsPutCommand.self, DocsGetCommand.self,
      DocsCatCommand.self, DocsMoveCommand.self, DocsRenameCommand.self, DocsRemoveCommand.self, DocsUndoCommand.self,
      DocsFavoriteCommand.self, DocsUsageCommand.self, DocsSyncCommand.self, DocsKitCommand.self, DocsKeepCommand.self,
      DocsRotateCommand.self, DocsDoctorCommand.self, DocsAcceptRollbackCommand.self,
      LoginCommand.self, LogoutCommand.self,
      ServeCommand.self, ServeUserAddCommand.self, ServeUserListCommand.self, ServeUserDisableCommand.self,
      ServeUserResetCommand.self, ServeUserQuotaCommand.self, ServeUserRemoveCommand.self, ServeBackupCommand.self,
      ServeCheckCommand.self,
      RunCommand.self, InjectCommand.self, GitCredentialCommand.self, QRCommand.self,
      CompletionCommand.self,
    ]
  }
}
