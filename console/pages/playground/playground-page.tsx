import { useState } from 'react'
import { useProject } from '../../app/projects.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useToast } from '../../parts/toast.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { Composer } from './composer.tsx'
import { isForChat, useModels } from './models.ts'
import { Pane } from './pane.tsx'
import { jsonProblem, noSettings, requestOf, type Settings } from './settings.ts'
import { SettingsForm } from './settings-form.tsx'
import { messagesOf, type Turn } from './turn.ts'
import { type Conversation, useConversation } from './use-conversation.ts'

export function PlaygroundPage() {
  const { data, error, refetch } = useModels()
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="models" />
  const models = data.data.map(({ id }) => id).filter(isForChat)
  if (models.length === 0) {
    return <Empty title="There is no model to chat with." code="./atoll models pull qwen2.5-0.5b-instruct" />
  }
  return <Playground models={models} />
}

const ownModel = 'atoll-chat'

function Playground({ models }: { models: string[] }) {
  const asked = new URLSearchParams(location.search).get('model') ?? ownModel
  const first = [asked, ownModel].find((id) => models.includes(id)) ?? models[0] ?? ''
  const [chosen, setChosen] = useState<[string, string]>([first, models.find((id) => id !== first) ?? first])
  const [isComparing, setIsComparing] = useState(false)
  const [settings, setSettings] = useState<Settings>(noSettings)
  const [isShowingCode, setIsShowingCode] = useState(false)
  const [isSetting, setIsSetting] = useState(() => matchMedia('(min-width: 1000px)').matches)
  const conversations = [useConversation(), useConversation()] as const
  const shown = isComparing ? conversations : conversations.slice(0, 1)
  const say = useSay(settings)
  const confirm = useConfirm()
  const clearAll = async () => {
    const text = 'What was said is kept nowhere else.'
    if (await confirm({ title: 'Begin anew?', text, action: 'Clear' })) for (const { clear } of shown) clear()
  }
  const sendAll = (text: string) => {
    for (const [index, conversation] of shown.entries()) {
      say(conversation, chosen[index] ?? first, [{ role: 'user', content: text }])
    }
  }
  return (
    <div className="playground">
      <PageHead title="Playground">
        <button type="button" aria-pressed={isComparing} onClick={() => setIsComparing(!isComparing)}>
          {isComparing ? 'One model' : 'Compare two'}
        </button>
        <button type="button" aria-expanded={isSetting} onClick={() => setIsSetting(!isSetting)}>
          Settings
        </button>
        <button type="button" onClick={() => setIsShowingCode(true)} disabled={hasWrongJson(settings)}>
          Copy as code
        </button>
        <button type="button" onClick={clearAll} disabled={shown.every(({ turns }) => turns.length === 0)}>
          Clear
        </button>
      </PageHead>
      <div className={isSetting ? 'playground-body with-settings' : 'playground-body'}>
        <div className="talk">
          <div className="panes">
            {shown.map((conversation, index) => (
              <Pane
                // biome-ignore lint/suspicious/noArrayIndexKey: left and right
                key={index}
                name={index === 0 ? 'First model' : 'Second model'}
                models={models}
                model={chosen[index] ?? first}
                choose={(model) => setChosen(index === 0 ? [model, chosen[1]] : [chosen[0], model])}
                conversation={conversation}
                answerCalls={(results) => say(conversation, chosen[index] ?? first, results)}
              />
            ))}
          </div>
          <Composer
            isAnswering={shown.some(({ isAnswering }) => isAnswering)}
            send={sendAll}
            stop={() => shown.map(({ stop }) => stop())}
          />
        </div>
        {isSetting && <SettingsForm settings={settings} change={setSettings} />}
      </div>
      {isShowingCode && (
        <CodeDialog
          request={requestOf(chosen[0], settings, messagesWithQuestion(settings.system, conversations[0].turns))}
          onClose={() => setIsShowingCode(false)}
        />
      )}
    </div>
  )
}

const hasWrongJson = ({ tools, schema }: Settings): boolean =>
  jsonProblem(tools) !== undefined || jsonProblem(schema) !== undefined

/** Up to the last thing that the person said: that is what a program would send. */
function messagesWithQuestion(system: string, turns: Turn[]) {
  const last = turns.findLastIndex(({ role }) => role !== 'assistant')
  const asked = turns.slice(0, last + 1)
  return messagesOf(system, asked.length > 0 ? asked : [{ id: 0, role: 'user', content: 'Hello.' }])
}

function useSay(settings: Settings) {
  const { project } = useProject()
  const tell = useToast()
  return (conversation: Conversation, model: string, said: Omit<Turn, 'id'>[]) => {
    if (hasWrongJson(settings)) tell('The tools or the schema are no valid JSON: see the settings.', 'bad')
    else void conversation.say(said, { model, settings, project: project.id })
  }
}
