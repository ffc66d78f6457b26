// Which tools a turn is given, and how the platform is told of them.
import type { AssistantTool } from 'openai/resources/beta/assistants'
import { channelKinds, type Trust } from '../../actions.ts'
import { admits } from '../trust/trust.ts'
import { type ToolConfig, toolName } from './config.ts'

export const allowedTools = (tools: readonly ToolConfig[], trust: Trust): ToolConfig[] =>
  tools.filter(({ allow }) => admits(allow, trust))

/** Those of the names that are still configured, and still allowed. */
export const offeredTools = (tools: readonly ToolConfig[], trust: Trust, names: readonly string[]): ToolConfig[] =>
  allowedTools(tools, trust).filter((tool) => names.includes(toolName(tool)))

export function platformTool(tool: ToolConfig): AssistantTool {
  if (tool.type === 'code_interpreter' || tool.type === 'file_search') return { type: tool.type }
  if (tool.type === 'send_message') return sendMessageTool
  const { name, description, parameters } = tool
  return {
    type: 'function',
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
    },
  }
}

const sendMessageTool: AssistantTool = {
  type: 'function',
  function: {
    name: 'send_message',
    description: 'Sends a text message to somebody on a chat channel.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: {
        text: { type: 'string', description: 'What to say.' },
        channel: {
          type: 'string',
          enum: ['last', ...channelKinds],
          description: 'Where; last is where the operator was last spoken to.',
        },
        to: { type: 'string', description: "The recipient in the channel's own terms; needed unless channel is last." },
      },
    },
  },
}
