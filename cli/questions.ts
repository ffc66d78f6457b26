// Questions to the person at the terminal.
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandProblem } from './command-problem.ts'

const madeUpBytes = 18

export const isAnybodyThere = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

export async function isAgreed(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(question)).trim())
}

/** From the standard input when told so; else asked for, or made up where nobody is there or nothing is typed. */
export async function choosePassword(
  whose: string,
  fromInput = false,
): Promise<{ password: string; isMadeUp: boolean }> {
  const given = fromInput ? (await text(process.stdin)).replace(/\r?\n$/, '') : await askPassword(whose)
  const isMadeUp = !fromInput && given === ''
  return { password: isMadeUp ? randomBytes(madeUpBytes).toString('base64url') : given, isMadeUp }
}

async function askPassword(whose: string): Promise<string> {
  if (!isAnybodyThere()) return ''
  const answer = await ask(`Password ${whose} (empty: one is made up): `, { isHidden: true })
  process.stderr.write('\n')
  return answer
}

/** Ctrl-C and the end of the input leave everything as it is. */
async function ask(question: string, { isHidden = false } = {}): Promise<string> {
  const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const { promise: left, reject } = Promise.withResolvers<never>()
  lines.once('close', () => reject(new CommandProblem('nothing was changed.')))
  // Not before the terminal was told to show nothing by itself: somebody may type at once.
  if (isHidden) process.stderr.write(question)
  try {
    return await Promise.race([lines.question(isHidden ? '' : question), left])
  } finally {
    lines.close()
  }
}
