import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { chatExample } from '../../api/curl.ts'
import type { StoredChatCompletion } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { CompletionDialog } from './completion-dialog.tsx'
import { completionsPath } from './paths.ts'

const shownLetters = 80

export function CompletionsPage() {
  const { project } = useProject()
  const [model, setModel] = useState('')
  const [sought, setSought] = useState('')
  const [opened, setOpened] = useState<StoredChatCompletion>()
  const list = useList<StoredChatCompletion>({
    path: completionsPath,
    project: project.id,
    query: { order: 'desc', model: sought },
  })
  const confirm = useConfirm()
  const remove = useChange(
    ({ id }: StoredChatCompletion) => ask(`${completionsPath}/${id}`, { method: 'DELETE', project: project.id }),
    [completionsPath],
  )
  const askToRemove = async (completion: StoredChatCompletion) => {
    const text = 'The question and the answer are forgotten. This cannot be undone.'
    if (await confirm({ title: 'Delete this completion?', text, action: 'Delete it' })) remove.mutate(completion)
  }
  const columns = columnsWith({ open: setOpened, remove: askToRemove })
  return (
    <>
      <PageHead title="Stored completions" about="Chats that were asked to be kept, with store: true." />
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          if (model.trim() === sought) void list.refetch()
          else setSought(model.trim())
        }}
      >
        <label className="field">
          <span>Model</span>
          <input type="search" maxLength={256} value={model} onChange={({ target }) => setModel(target.value)} />
        </label>
        <button type="submit">Find</button>
      </form>
      <ListTable
        name="Stored completions"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          sought === '' ? (
            <Empty title="Nothing is stored yet. A chat is, when it is asked to be:" code={example} />
          ) : (
            <Empty title={`Nothing of the model ${sought} is stored.`} />
          )
        }
      />
      {opened !== undefined && (
        <CompletionDialog completion={opened} project={project.id} onClose={() => setOpened(undefined)} />
      )}
    </>
  )
}

interface Actions {
  open(completion: StoredChatCompletion): void
  remove(completion: StoredChatCompletion): void
}

const columnsWith = ({ open, remove }: Actions): Column<StoredChatCompletion>[] => [
  { title: 'Answer', show: (completion) => <span className="long">{beginningOf(completion)}</span> },
  { title: 'Model', show: ({ model }) => <code>{model}</code> },
  { title: 'Tokens', show: ({ usage }) => usage.total_tokens },
  { title: 'Made', show: ({ created }) => <Time seconds={created} /> },
  {
    title: 'Actions',
    show: (completion) => (
      <div className="actions">
        <button type="button" className="small" aria-label={`Open ${completion.id}`} onClick={() => open(completion)}>
          Open
        </button>
        <button
          type="button"
          className="danger small"
          aria-label={`Delete ${completion.id}`}
          onClick={() => remove(completion)}
        >
          Delete
        </button>
      </div>
    ),
  },
]

function beginningOf({ choices: [choice] }: StoredChatCompletion): string {
  const text = choice?.message.content ?? (choice?.message.tool_calls ? '(calls functions)' : '')
  return text.length > shownLetters ? `${text.slice(0, shownLetters)} …` : text
}

const example = chatExample('atoll-chat', { store: true })
