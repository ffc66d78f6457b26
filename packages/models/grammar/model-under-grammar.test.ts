// A real model with random weights, held to a grammar: it says nonsense that validates.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeRandomModel } from '../testing/random-gguf.ts'
import { schemaGrammar } from './json-schema.ts'
import { GrammarModel } from './testing/grammar-model.ts'
import { ToolCallReader } from './tool-call-reader.ts'
import { toolCallsGrammar } from './tool-calls.ts'
import { toolSyntaxes } from './tool-syntax.ts'

const place = { param: 'schema', subject: "response_format 'x'", strictParam: 'schema', strict: true }
const ajv = new Ajv({ strict: false })
ajvFormats.default(ajv)

const closed = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const schemas = [
  closed({ name: { type: 'string', maxLength: 20 }, age: { type: 'integer', minimum: 0, maximum: 150 } }),
  closed({ day: { type: 'string', format: 'date' }, id: { type: 'string', format: 'uuid' } }),
  closed({ tags: { type: 'array', items: { enum: ['red', 'green', 'blue'] }, uniqueItems: true, minItems: 1 } }),
  closed({ price: { type: 'number', minimum: 0.5, exclusiveMaximum: 99.5 }, code: { type: 'string', pattern: '^[A-Z]{2}\\d{3}$' } }),
  closed({
    shape: {
      oneOf: ['circle', 'square'].map((kind) => closed({ kind: { const: kind }, [kind]: { type: 'integer', maximum: 9, minimum: 0 } })),
    },
    maybe: { type: ['boolean', 'null'] },
  }),
] // biome-ignore format: a table

describe('a model under a grammar', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-grammar-'))
  let model: GrammarModel

  beforeAll(async () => {
    const file = join(folder, 'random.gguf')
    writeRandomModel(file)
    model = await GrammarModel.load(file)
  })
  afterAll(async () => {
    await model.unload()
    rmSync(folder, { recursive: true })
  })

  it.each(schemas)('INF-058 gives an answer that validates: %j', async (schema) => {
    const validate = ajv.compile(schema)
    const grammar = schemaGrammar(schema, place)
    for (const seed of [1, 2, 3]) {
      const text = await model.say('<|user|>hello<|assistant|>', grammar, { seed, maxTokens: 400 })
      expect(validate(JSON.parse(text)), text).toBe(true)
    }
  })

  it('INF-072 calls tools when it must', async () => {
    const tools = [{ name: 'look', parameters: schemas[0], strict: true }, { name: 'wait' }]
    const syntax = toolSyntaxes.hermes
    const grammar = toolCallsGrammar(tools, { choice: 'required', parallel: true, maxCalls: 3, syntax })
    for (const seed of [1, 2, 3, 4]) {
      const text = await model.say('<|user|>hello<|assistant|>', grammar, { seed, maxTokens: 600 })
      const reader = new ToolCallReader(syntax, ['look', 'wait'])
      const events = [...reader.push(text), ...reader.end()]
      expect(events[0]?.type).toBe('call')
      expect(events.filter(({ type }) => type === 'content')).toEqual([])
      expect(events.at(-1)).toEqual({ type: 'call-end', complete: true })
    }
  })
})
