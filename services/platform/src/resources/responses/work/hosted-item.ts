// Calls of our own tools as items: when they begin, and when they are made.
import type { CallOutcome } from '../../../tool-loop/record.ts'
import type { HostedCall, HostedTool } from '../../../tool-loop/tools/hosted-tool.ts'
import { queryOf } from '../../../tool-loop/tools/passages/query-argument.ts'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { Item } from '../../conversations/items/schema.ts'

export function hostedItem(kind: Exclude<HostedTool['type'], 'mcp'>, id: string, containerId: string): Item {
  if (kind === 'file_search') return { id, type: 'file_search_call', status: 'in_progress', queries: [], results: null }
  if (kind === 'image_generation') return { id, type: 'image_generation_call', status: 'in_progress', result: null }
  const call = { code: '', container_id: containerId, outputs: null }
  return { id, type: 'code_interpreter_call', status: 'in_progress', ...call }
}

export type McpItem = Extract<Item, { type: 'mcp_call' }>

export const mcpItem = (id: string, { label, tool }: { label: string; tool: string }, args: string): McpItem => ({
  ...{ id, type: 'mcp_call', status: 'in_progress', server_label: label, name: tool, arguments: args },
  ...{ output: null, error: null, approval_request_id: null },
})

/** The item of a call that was made. */
export function madeItem({ item, work }: KeptItem, { call, described, output }: CallOutcome): Item {
  if (item.type === 'file_search_call') {
    const query = queryOf(work?.arguments ?? '')
    const queries = query === undefined ? [] : [query]
    return { ...item, status: 'completed', queries, results: resultsOf(call, described) }
  }
  if (item.type === 'code_interpreter_call' && call?.type === 'code_interpreter') {
    const { input: code, outputs } = call.code_interpreter
    return { ...item, status: 'completed', code, outputs: outputs.map(outputOf) }
  }
  if (item.type === 'image_generation_call' && call?.type === 'image_generation') {
    const { result, revised_prompt } = call.image_generation
    return { ...item, status: result === null ? 'failed' : 'completed', result, revised_prompt, output_format: 'png' }
  }
  if (item.type === 'mcp_call') return madeMcpItem(item, call, output)
  return item
}

/** A tool that the server does not have any more is no call of it. */
function madeMcpItem(item: McpItem, call: HostedCall | undefined, output: string): McpItem {
  if (call?.type !== 'mcp') {
    return { ...item, status: 'failed', error: { type: 'mcp_protocol_error', code: noSuchTool, message: output } }
  }
  return { ...item, status: call.mcp.error === null ? 'completed' : 'failed', ...call.mcp }
}

/** Of JSON-RPC: there is no such method. */
const noSuchTool = -32601

function resultsOf(call: HostedCall | undefined, described: CallOutcome['described']) {
  if (call?.type !== 'file_search') return []
  return (call.file_search.results ?? []).map(({ file_id, file_name, score, content = [] }) => ({
    file_id,
    filename: file_name,
    score,
    text: content.map(({ text }) => text).join('\n'),
    attributes: described?.get(file_id) ?? {},
  }))
}

type CodeOutput = Extract<HostedCall, { type: 'code_interpreter' }>['code_interpreter']['outputs'][number]

/** An image is a file of the project, and its address is where that can be had. */
const outputOf = (output: CodeOutput) =>
  output.type === 'logs' ? output : { type: 'image' as const, url: `/v1/files/${output.image.file_id}/content` }
