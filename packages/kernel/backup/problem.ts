/** Something that whoever asked for a backup must know, as one sentence. */
export class BackupProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupProblem'
  }
}
