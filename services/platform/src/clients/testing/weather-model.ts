// A conversation that takes a client through all of its tool loop: two calls at once, one more when their results are
// there, then the answer; and after that whatever else is asked. What follows a schema gets what fits the schema.
import type { ChatRequest } from '@atoll/models/chat'
import { type Piece, ScriptedChatModel } from '../../testing/scripted-chat-model.ts'

export const question = 'Where is it warmer, in Oslo or in Bergen, and how is Reykjavik?'
export const answer = 'Bergen is warmer; Reykjavik has 4 degrees.'
export const report = { city: 'Bergen', degrees: 9 }

const degrees: Record<string, number> = { Oslo: 7, Bergen: 9, Reykjavik: 4 }

/** What the tool of every client does. */
export const weatherIn = (city: string): string => `${degrees[city] ?? 'unknown'} degrees in ${city}`

const callFor = (city: string): Piece => ({
  call: 'weather',
  id: `call_${city.toLowerCase()}`,
  arguments: ['{"city":', `"${city}"}`],
})

export const weatherModel = (): ScriptedChatModel => new ScriptedChatModel(nextPieces)

function nextPieces({ messages, tools, toolChoice, responseFormat }: ChatRequest): Piece[] {
  const forced =
    typeof toolChoice === 'object' ? toolChoice.name : toolChoice === 'required' ? tools[0]?.name : undefined
  if (forced !== undefined && forced !== 'weather') return [{ call: forced, arguments: [JSON.stringify(report)] }]
  const results = messages.filter(({ role }) => role === 'tool').length
  if (tools.some(({ name }) => name === 'weather')) {
    if (results === 0) return [callFor('Oslo'), callFor('Bergen')]
    if (results === 2) return [callFor('Reykjavik')]
  }
  return responseFormat.type === 'text' ? ['Bergen is warmer; ', 'Reykjavik has 4 degrees.'] : [JSON.stringify(report)]
}
