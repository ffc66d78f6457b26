// The code blocks of the README, in the order a reader comes to them.

export interface Block {
  language: string
  code: string
  /** Where it begins. */
  line: number
}

export function blocksIn(text: string): Block[] {
  const form = /^```(\w+)\n([\s\S]*?)^```$/gm
  return Array.from(text.matchAll(form), ({ index, 1: language = '', 2: code = '' }) => ({
    language,
    code,
    line: text.slice(0, index).split('\n').length,
  }))
}

/** Stays in the foreground: the reader goes on in another terminal. */
export const isStart = ({ code }: Block): boolean => /^(sudo )?\.\/atoll up(?!.*--detach).*\n$/.test(code)

export const titleOf = ({ line, language, code }: Block): string => `line ${line}, ${language}: ${code.split('\n')[0]}`
