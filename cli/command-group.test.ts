import { describe, expect, it } from 'vitest'
import { createProgram } from './program.ts'

/** What a person reads; the process is not ended. */
async function refusalOf(...words: string[]): Promise<string> {
  const program = createProgram()
  let said = ''
  const writeErr = (text: string) => {
    said += text
  }
  const quiet = { writeErr, writeOut: () => {} }
  for (const command of [program, ...program.commands]) command.exitOverride().configureOutput(quiet)
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toMatchObject({ exitCode: 1 })
  return said
}

describe('a word that is no command', () => {
  // `backup TO` takes a word of its own.
  const groups = createProgram().commands.filter(
    ({ commands, registeredArguments }) => commands.length > 0 && !registeredArguments.some(({ required }) => required),
  )

  it.each(groups.map((group) => group.name()))('is refused after %s, with what there is', async (name) => {
    expect(await refusalOf(name, 'nothing-like-it')).toMatch(
      new RegExp(`^atoll: there is no command ${name} nothing-like-it; there (is|are) [a-z]`),
    )
  })

  it('is told its nearest neighbour', async () => {
    expect(await refusalOf('keys', 'crate')).toBe('atoll: there is no command keys crate; did you mean create?\n')
  })
})
