/** The file is no model that can be read; the message says what is wrong with it, and not which file it is. */
export class GgufProblem extends Error {
  override readonly name = 'GgufProblem'
}
