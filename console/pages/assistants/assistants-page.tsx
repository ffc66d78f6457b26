import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { curlHere } from '../../api/curl.ts'
import type { AssistantObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { NewAssistantDialog } from './new-assistant-dialog.tsx'
import { assistantsPath, nameOf } from './paths.ts'
import { ThreadView } from './thread-view.tsx'

export function AssistantsPage() {
  const { project } = useProject()
  const [isMaking, setIsMaking] = useState(false)
  const [chosenId, setChosenId] = useState<string>()
  const list = useList<AssistantObject>({ path: assistantsPath, project: project.id })
  const confirm = useConfirm()
  const remove = useChange(
    ({ id }: AssistantObject) => ask(`${assistantsPath}/${id}`, { method: 'DELETE', project: project.id }),
    [assistantsPath],
  )
  const chosen = list.items?.find(({ id }) => id === chosenId) ?? list.items?.[0]
  const askToRemove = async (assistant: AssistantObject) => {
    const text = 'Its threads and files stay. This cannot be undone.'
    if (await confirm({ title: `Delete ${nameOf(assistant)}?`, text, action: 'Delete it' })) remove.mutate(assistant)
  }
  return (
    <>
      <PageHead title="Assistants" about="A model with instructions, files it searches, and Python it runs.">
        {chosen !== undefined && (
          <button type="button" className="danger" onClick={() => askToRemove(chosen)}>
            Delete {nameOf(chosen)}
          </button>
        )}
        <button type="button" className="primary" onClick={() => setIsMaking(true)}>
          Make an assistant
        </button>
      </PageHead>
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {!list.error && list.items === undefined && <Waiting what="assistants" />}
      {list.items?.length === 0 && (
        <Empty title="There are no assistants yet. The button above makes one, or:" code={example} />
      )}
      {chosen !== undefined && (
        <>
          <div className="filters">
            <label className="field">
              <span>Assistant</span>
              <select value={chosen.id} onChange={({ target }) => setChosenId(target.value)}>
                {list.items?.map((one) => (
                  <option key={one.id} value={one.id}>
                    {nameOf(one)}
                  </option>
                ))}
              </select>
            </label>
            {list.hasNextPage && (
              <button type="button" onClick={() => list.fetchNextPage()}>
                Show more
              </button>
            )}
          </div>
          <ThreadView key={chosen.id} assistant={chosen} project={project.id} />
        </>
      )}
      {isMaking && <NewAssistantDialog project={project.id} onMade={setChosenId} onClose={() => setIsMaking(false)} />}
    </>
  )
}

const example = curlHere(
  '/v1/assistants',
  { model: 'atoll-chat', name: 'Desk', tools: [{ type: 'code_interpreter' }] },
  ['OpenAI-Beta: assistants=v2'],
)
