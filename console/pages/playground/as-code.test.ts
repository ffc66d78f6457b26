import { describe, expect, it } from 'vitest'
import { asCode } from './as-code.ts'
import { jsonProblem, noSettings, requestOf } from './settings.ts'
import { messagesOf } from './turn.ts'

const settings = {
  ...noSettings,
  system: 'It\'s "quoted"\n$HOME `id`',
  temperature: '0.5',
  tools: '{"name": "f", "parameters": {"type": "object"}}',
  schema: '{"type": "object"}',
  logprobs: true,
}
const turns = [
  { id: 1, role: 'user' as const, content: 'Hi' },
  { id: 2, role: 'assistant' as const, content: '', state: 'failed' as const },
]
const request = requestOf('m', settings, messagesOf(settings.system, turns))

describe('a request of the playground', () => {
  it('has what was set, in the words of the API', () => {
    expect(request).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: settings.system },
        { role: 'user', content: 'Hi' },
      ],
      temperature: 0.5,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      logprobs: true,
      top_logprobs: 5,
    })
    expect(jsonProblem('[')).toBeTruthy()
    expect(jsonProblem('5')).toBe('Expected an object or a list.')
    expect(jsonProblem('')).toBeUndefined()
  })

  it('is the same in a shell, whatever it holds: only a quote ends a quote there', () => {
    const [, quoted = ''] = asCode.curl('http://h/v1', request).split('  -d ')
    expect(quoted.startsWith("'") && quoted.trimEnd().endsWith("'")).toBe(true)
    const pieces = quoted.trimEnd().slice(1, -1).split(String.raw`'\''`)
    expect(pieces.some((piece) => piece.includes("'"))).toBe(false)
    expect(JSON.parse(pieces.join("'"))).toEqual(request)
  })

  it('is written as the other languages write it', () => {
    expect(asCode.Python('http://h/v1', request)).toContain(
      '    logprobs=True,\n    top_logprobs=5,\n    stream=True,\n)',
    )
    expect(asCode.TypeScript('http://h/v1', request)).toContain('"model": "m"')
  })
})
