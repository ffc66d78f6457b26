// llama.cpp itself, as far as tests of grammars need it.
import { createRequire } from 'node:module'
import { join } from 'node:path'

interface LlamaGrammar {
  /** Whether the whole text is one of the grammar's. */
  isTextCompatible(text: string): boolean
}

interface LlamaAddon {
  setLogger(log: (level: number, message: string) => void): void
  setLoggerLogLevel(level: number): void
  AddonGrammar: new (grammar: string, options: { addonExports: unknown; rootRuleName: string }) => LlamaGrammar
}

const require = createRequire(import.meta.url)
const folder = `${process.platform}-${process.arch}`
const main = require.resolve(`@node-llama-cpp/${folder}`)
export const addonFolder = join(main, '..', '..', 'bins', folder)
export const addon: LlamaAddon & Record<string, unknown> = require(join(addonFolder, 'llama-addon.node'))
const complaints: string[] = []
addon.setLogger((_level, message) => complaints.push(message))
addon.setLoggerLogLevel(3)

/** Throws, with the parser's own words, when llama.cpp does not take the grammar. */
export function parseGrammar(grammar: string): LlamaGrammar {
  complaints.length = 0
  try {
    return new addon.AddonGrammar(grammar, { addonExports: addon, rootRuleName: 'root' })
  } catch (error) {
    throw new Error(`${complaints.join('').slice(0, 300)}\n${grammar.slice(0, 2000)}`, { cause: error })
  }
}
