// What a run gives its tools, for tests that call them without one.
import type { ProjectCaller } from '../../../callers.ts'
import type { HostedCall, ToolContext } from '../hosted-tool.ts'

const nobody: ProjectCaller = {
  kind: 'project',
  organizationId: 'org-test',
  projectId: 'proj_test',
  keyId: 'key_test',
  keyKind: 'project',
  actor: { type: 'user', id: 'user-test' },
  organizationRole: 'owner',
  projectRole: 'owner',
}

export function toolContext(
  type: 'file_search' | 'code_interpreter',
  given: Partial<ToolContext> = {},
): ToolContext & { told: HostedCall[] } {
  const told: HostedCall[] = []
  return {
    caller: nobody,
    runId: 'run_1',
    threadId: 'thread_1',
    assistantId: 'asst_1',
    model: 'gpt-4o',
    tool: { type },
    assistantResources: {},
    threadResources: {},
    callId: 'call_1',
    found: [],
    outputTokens: 16_000,
    signal: new AbortController().signal,
    progress: (call) => void told.push(call),
    ...given,
    told,
  }
}
