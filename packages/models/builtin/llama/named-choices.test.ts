import { expect, it } from 'vitest'
import type { ChatMessage, ChatRequest } from '../../chat.ts'
import { withNamedChoices } from './named-choices.ts'

const car = { type: 'string', enum: ['small', 'family', 'van', 'half_size van'] }

/** The choices that are left of a tool's parameter when this was said. */
function left(said: string | ChatMessage[], choices: unknown = car): unknown {
  const messages = typeof said === 'string' ? [{ role: 'user' as const, content: said }] : said
  const parameters = { type: 'object', properties: { car: choices } }
  const request = {
    messages,
    tools: [{ name: 'rent', parameters }],
    toolChoice: 'auto',
    parallelToolCalls: true,
    responseFormat: { type: 'text' },
  } as unknown as ChatRequest
  const [tool] = withNamedChoices(request).tools
  const properties = tool?.parameters?.properties as Record<string, Record<string, unknown>> | undefined
  return properties?.car?.enum
}

it('leaves only the choice that the message names, whatever its case and marks', () => {
  expect(left('I need a Family car.')).toEqual(['family'])
  expect(left('a half-size van, please')).toEqual(['half_size van'])
  expect(left('Which vans are there?')).toEqual(['van'])
  expect(left('family!', { enum: ['small', 'family', null] })).toEqual(['family', null])
})

it('leaves all choices where none or several are named, and where words are too short or too common to tell', () => {
  expect(left('something for two people')).toEqual(car.enum)
  expect(left('not a van, a small one')).toEqual(car.enum)
  expect(left("anything, but I don't want the van")).toEqual(car.enum)
  expect(left('Instead of a van I need something for two.')).toEqual(car.enum)
  expect(left('a vanilla ice')).toEqual(car.enum)
  expect(left('A donor', { enum: ['A', 'B', 'AB'] })).toEqual(['A', 'B', 'AB'])
  expect(left('a new one', { enum: ['new', 'used'] })).toEqual(['new', 'used'])
})

it('leaves all choices where several fields offer the word', () => {
  const unit = { type: 'string', enum: ['celsius', 'fahrenheit'] }
  const parameters = { type: 'object', properties: { from: unit, to: unit, car } }
  const request = {
    messages: [{ role: 'user', content: 'What are 30 celsius in the other unit? And I need a van.' }],
    ...{ tools: [{ name: 'convert', parameters }], toolChoice: 'auto', responseFormat: { type: 'text' } },
  } as unknown as ChatRequest
  const left = withNamedChoices(request).tools[0]?.parameters?.properties
  expect(left).toEqual({ from: unit, to: unit, car: { ...car, enum: ['van'] } })
})

it('looks at what the user said last, and nowhere else', () => {
  const earlier: ChatMessage[] = [
    { role: 'system', content: 'We rent out every van.' },
    { role: 'user', content: 'a family car' },
    { role: 'assistant', content: 'Which one?' },
    { role: 'user', content: [{ type: 'text', text: 'the small one' }] },
  ]
  expect(left(earlier)).toEqual(['small'])
})
