import { lexer } from 'marked'
import { expect, it } from 'vitest'
import { type Blocks, grownBlocks } from './growing-blocks.ts'

const answer = `# Tides

The sea rises **twice** a day,
and falls as often.

A heading by its line
=====

- one

- two
  more of two

      code in a list
- three
1. other

> said
goes on

\`\`\`js
const a = 1

const b = \`\`
\`\`\`

    four spaces

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |

---
<div>
raw

html
</div>

* star
  1. inner
  2. inner

Last [link](https://example.org) and \`code\`.
`

const typesOf = (tokens: Blocks['tokens']) => tokens.map(({ type, raw }) => [type, raw])

it.each([1, 2, 3, 7, 40])('reads a text that comes in pieces of %i letters as if it had come whole', (size) => {
  let blocks: Blocks | undefined
  for (let end = size; end < answer.length + size; end += size) {
    const text = answer.slice(0, end)
    blocks = grownBlocks(blocks, text)
    expect(typesOf(blocks.tokens)).toEqual(typesOf(lexer(text, { gfm: true })))
  }
})

it('keeps finished blocks as they are, and begins anew for another text', () => {
  const first = grownBlocks(undefined, 'One.\n\nTwo.\n\nThree.\n\nFour')
  const second = grownBlocks(first, 'One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.')
  expect(second.tokens[0]).toBe(first.tokens[0])
  expect(second.tokens[2]).toBe(first.tokens[2])
  expect(typesOf(grownBlocks(second, 'Else.').tokens)).toEqual([['paragraph', 'Else.']])
})
