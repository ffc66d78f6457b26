// A chat request in the words of chat templates.
import type { ChatMessage, ChatRequest, FunctionTool } from '../../chat.ts'
import { ModelProblem } from '../../problem.ts'
import type { ChatPrompt, TemplateMessage } from './protocol.ts'

/** What of a request stands in its prompt. */
type Prompted = Pick<
  ChatRequest,
  'messages' | 'tools' | 'toolChoice' | 'responseFormat' | 'audio' | 'reasoningEffort' | 'verbosity'
>

export function chatPrompt(request: Prompted, template: string | undefined): ChatPrompt {
  if (request.audio !== undefined) {
    const message = "This model cannot answer with audio. Ask for 'modalities': ['text'], or name a model that can."
    throw new ModelProblem(message, { kind: 'unsupported', param: 'modalities' })
  }
  refuseManners(request)
  const messages = request.messages.map(templateMessage)
  const tools = request.toolChoice === 'none' || request.tools.length === 0 ? undefined : request.tools.map(wireTool)
  const instructions: string[] = []
  // A template that knows no tools would leave them out.
  const showsTools = template !== undefined && /\btools\b/.test(template)
  const showsSchema = template !== undefined && /\bresponse_schema\b/.test(template)
  if (tools !== undefined && !showsTools) instructions.push(toolInstructions(tools))
  const { responseFormat } = request
  const schema = responseFormat.type === 'json_schema' ? (responseFormat.json_schema.schema ?? {}) : undefined
  if (schema !== undefined && !showsSchema) instructions.push(schemaInstructions(schema))
  return {
    kind: 'chat',
    messages: withInstructions(messages, instructions),
    tools: showsTools ? tools : undefined,
    responseSchema: showsSchema ? schema : undefined,
  }
}

/** What models of this kind were never taught. */
function refuseManners({ reasoningEffort = 'none', verbosity }: Prompted): void {
  if (reasoningEffort !== 'none') {
    const message = "This model does not reason: leave the effort out, set it to 'none', or name a model that does."
    throw new ModelProblem(message, { kind: 'unsupported', param: 'reasoning_effort' })
  }
  if (verbosity !== undefined) {
    const message = 'This model cannot be told by a setting how much to say: tell it in the instructions.'
    throw new ModelProblem(message, { kind: 'unsupported', param: 'verbosity' })
  }
}

function templateMessage(message: ChatMessage, index: number): TemplateMessage {
  const content = textOf(message.content, `messages[${index}].content`)
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content }
    case 'user':
      return { role: 'user', content, ...(message.name === undefined ? {} : { name: message.name }) }
    case 'tool':
      return { role: 'tool', content, tool_call_id: message.tool_call_id }
    case 'assistant': {
      if (message.audio) {
        const words = `There is no audio answer with id '${message.audio.id}': this model gives none.`
        throw new ModelProblem(words, { kind: 'unsupported', param: `messages[${index}].audio.id` })
      }
      const calls = message.tool_calls?.map((call) => ({
        ...call,
        function: { name: call.function.name, arguments: parsed(call.function.arguments) },
      }))
      const words = content === '' ? (message.refusal ?? '') : content
      return { role: 'assistant', content: words, ...(calls === undefined ? {} : { tool_calls: calls }) }
    }
  }
}

type Content = ChatMessage['content']

function textOf(content: Content, param: string): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content
    .map((part, index) => {
      switch (part.type) {
        case 'text':
          return part.text
        case 'refusal':
          return part.refusal
        default: {
          const what = part.type === 'image_url' ? 'see images' : 'listen to audio'
          const message = `This model cannot ${what}: send text, or name a model that can.`
          throw new ModelProblem(message, { kind: 'unsupported', param: `${param}[${index}]` })
        }
      }
    })
    .join('\n')
}

/** Templates write arguments as JSON by themselves; what is no JSON they get as text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const wireTool = ({ name, description, parameters }: FunctionTool) => ({
  type: 'function',
  function: { name, description: description ?? '', parameters: parameters ?? { type: 'object', properties: {} } },
})

const toolInstructions = (tools: unknown[]): string =>
  [
    'You can call these functions:',
    ...tools.map((tool) => JSON.stringify(tool)),
    'To call one, answer with <tool_call>{"name": NAME, "arguments": {…}}</tool_call> and nothing else.',
  ].join('\n')

const schemaInstructions = (schema: Record<string, unknown>): string =>
  `Answer with JSON that follows this schema: ${JSON.stringify(schema)}`

function withInstructions(messages: TemplateMessage[], instructions: string[]): TemplateMessage[] {
  if (instructions.length === 0) return messages
  const text = instructions.join('\n\n')
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages]
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest]
}
