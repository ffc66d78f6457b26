// Which tools of a server are offered, and which calls wait for the caller's approval.
import type { ListedTool } from '../../../../tool-loop/mcp/client.ts'
import type { McpTool, ToolFilter } from './schema.ts'

type Described = Pick<ListedTool, 'name' | 'annotations'>

export function isAllowed(allowed: McpTool['allowed_tools'], tool: Described): boolean {
  if (allowed == null) return true
  return Array.isArray(allowed) ? allowed.includes(tool.name) : fits(allowed, tool)
}

/** Always, unless told: a filter that names neither leaves it at that. */
export function needsApproval(required: McpTool['require_approval'], tool: Described): boolean {
  if (required == null || required === 'always') return true
  if (required === 'never') return false
  if (required.always != null && fits(required.always, tool)) return true
  if (required.never != null) return !fits(required.never, tool)
  return required.always == null
}

/** All that the filter says is true of the tool. */
function fits({ tool_names, read_only }: ToolFilter, { name, annotations }: Described): boolean {
  if (tool_names != null && !tool_names.includes(name)) return false
  return read_only == null || (annotations?.readOnlyHint === true) === read_only
}
