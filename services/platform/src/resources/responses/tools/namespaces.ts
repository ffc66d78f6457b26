// Functions that a request declares in namespaces, as the model sees them and as the caller knows them.
import { calledName } from '../../conversations/items/called-name.ts'
import type { ResponseTool } from './schema.ts'

export type FunctionTool = Extract<ResponseTool, { type: 'function' }>
type NamespaceTool = Extract<ResponseTool, { type: 'namespace' }>

/** What is said of the namespace is said once, with its first function. */
export const functionsOf = ({ name: namespace, description, tools }: NamespaceTool): FunctionTool[] =>
  tools.map((tool, index) => {
    const about = index > 0 || description === '' ? [] : [`(Of all functions '${namespace}__…': ${description})`]
    const words = [...(tool.description == null ? [] : [tool.description]), ...about]
    return { ...tool, name: calledName(namespace, tool.name), description: words.join('\n\n') }
  })

export interface NamespacedName {
  namespace: string
  name: string
}

/** By the names that the model calls them by. */
export function namespacedNames(tools: readonly ResponseTool[]): ReadonlyMap<string, NamespacedName> {
  const names = new Map<string, NamespacedName>()
  for (const tool of tools) {
    if (tool.type !== 'namespace') continue
    for (const { name } of tool.tools) names.set(calledName(tool.name, name), { namespace: tool.name, name })
  }
  return names
}
