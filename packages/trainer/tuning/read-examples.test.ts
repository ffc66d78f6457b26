import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadPromptModel } from '@atoll/models/builtin/llama/prompt-model'
import { testTemplate, writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { readExamples } from './read-examples.ts'

const withoutTools = `{%- for message in messages -%}<|{{ message.role }}|>{{ message.content }}<|end|>{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`

const example = {
  messages: [
    { role: 'user', content: 'is it on' },
    { role: 'assistant', content: 'it was', weight: 0 },
    { role: 'user', content: 'and now' },
    { role: 'assistant', content: 'it is' },
  ],
  tools: [{ type: 'function', function: { name: 'lamp', description: 'A lamp' } }],
}

it.each([
  ['shows tools', testTemplate, '<|user|>{"type"'],
  ['shows none', withoutTools, '<|system|>You can call these functions:'],
] as const)(
  'learns only the words that count, behind what a request would show, where the template %s',
  async (_, template, shown) => {
    const folder = await tempDir()
    const [file, lines] = [join(folder, 'model.gguf'), join(folder, 'lines.jsonl')]
    writeRandomModel(file, { template })
    writeFileSync(lines, JSON.stringify(example))
    const model = await loadPromptModel(file, 2_048)
    const { examples, errors } = await readExamples(lines, { model, template, maxTokens: 2_048 })
    expect(errors).toEqual([])
    const [{ tokens, weights }] = examples as [(typeof examples)[number]]
    const textOf = (ids: number[]): string =>
      Buffer.concat(ids.map((id) => model.vocabulary.bytesOf(id, true))).toString()
    expect(textOf(tokens).replaceAll(/\n/g, '').replaceAll(' "', '"')).toContain(shown.replaceAll(' "', '"'))
    expect(textOf(tokens)).toContain('A lamp')
    expect(textOf(tokens.filter((_token, at) => weights[at] === 1))).toBe('it is<|end|>')
  },
)

it('tells of lines whose answers all lie behind what the model can hold, and cuts those that begin before', async () => {
  const folder = await tempDir()
  const [file, lines] = [join(folder, 'model.gguf'), join(folder, 'lines.jsonl')]
  writeRandomModel(file, {})
  const asked = (question: string, answer: string): string =>
    JSON.stringify({
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: answer },
      ],
    })
  writeFileSync(lines, [asked('on '.repeat(100), 'yes'), asked('on', 'yes '.repeat(100))].join('\n'))
  const model = await loadPromptModel(file, 2_048)
  const read = await readExamples(lines, { model, template: undefined, maxTokens: 40 })
  expect(read.errors).toEqual([{ line: 1, message: 'nothing to learn is left in its first 40 tokens' }])
  expect(read).toMatchObject({ lines: 2, cut: 1, examples: [{ tokens: { length: 40 } }] })
})

it('cuts an example of any length that a line may have', async () => {
  const folder = await tempDir()
  const [file, lines] = [join(folder, 'model.gguf'), join(folder, 'lines.jsonl')]
  writeRandomModel(file, {})
  const answer = { role: 'assistant', content: 'yes '.repeat(200_000) }
  writeFileSync(lines, JSON.stringify({ messages: [{ role: 'user', content: 'on' }, answer] }))
  const model = await loadPromptModel(file, 2_048)
  const read = await readExamples(lines, { model, template: undefined, maxTokens: 40 })
  expect(read).toMatchObject({ errors: [], cut: 1, examples: [{ tokens: { length: 40 } }] })
})

it("tells what the model's template refuses as a fault of the line, and nothing else", async () => {
  const folder = await tempDir()
  const [file, lines] = [join(folder, 'model.gguf'), join(folder, 'lines.jsonl')]
  const template = `{%- if messages[0].role == 'assistant' -%}{{ raise_exception('Begin with a user') }}{%- endif -%}${withoutTools}`
  writeRandomModel(file, { template })
  const turns = [
    { role: 'assistant', content: 'it is' },
    { role: 'user', content: 'on' },
  ]
  const line = (messages: object[]): string => JSON.stringify({ messages })
  writeFileSync(lines, [line(turns), line([...turns].reverse())].join('\n'))
  const model = await loadPromptModel(file, 2_048)
  const { errors, examples } = await readExamples(lines, { model, template, maxTokens: 40 })
  expect(errors).toEqual([
    { line: 1, message: "The model's chat template does not accept these messages: Begin with a user" },
  ])
  expect(examples).toHaveLength(1)
  const broken = { ...model, vocabulary: undefined as never }
  await expect(readExamples(lines, { model: broken, template, maxTokens: 40 })).rejects.toThrow(TypeError)
})

it('tells of lines that are nested deeper than a template can go', async () => {
  const folder = await tempDir()
  const [file, lines] = [join(folder, 'model.gguf'), join(folder, 'lines.jsonl')]
  writeRandomModel(file, {})
  const parameters = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const tool = `{"type":"function","function":{"name":"lamp","parameters":${parameters}}}`
  writeFileSync(lines, JSON.stringify(example).replace(/"tools":.*$/, `"tools":[${tool}]}`))
  const model = await loadPromptModel(file, 2_048)
  const { errors } = await readExamples(lines, { model, template: withoutTools, maxTokens: 40 })
  expect(errors).toEqual([{ line: 1, message: 'its lists and objects are nested more than 100 deep' }])
})
