/** A service cannot run on this machine as it is; the message says what to install or how to start it. */
export class MissingPrograms extends Error {
  override readonly name = 'MissingPrograms'
}
