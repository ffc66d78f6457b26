import { type ReactNode, useId } from 'react'
import { jsonProblem, type Settings } from './settings.ts'

interface Props {
  settings: Settings
  change(settings: Settings): void
}

export function SettingsForm({ settings, change }: Props) {
  const set = (name: keyof Settings) => (value: string) => change({ ...settings, [name]: value })
  return (
    <form className="settings" onSubmit={(event) => event.preventDefault()} aria-label="Settings of the answers">
      <Long label="System prompt" value={settings.system} set={set('system')} rows={4} />
      <div className="pair">
        <Figure label="Temperature" value={settings.temperature} set={set('temperature')} max={2} step={0.1} />
        <Figure label="Top p" value={settings.topP} set={set('topP')} max={1} step={0.05} />
        <Figure label="Most tokens" value={settings.maxTokens} set={set('maxTokens')} min={1} step={1} />
        <Figure label="Seed" value={settings.seed} set={set('seed')} step={1} />
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.logprobs}
          onChange={(event) => change({ ...settings, logprobs: event.target.checked })}
        />
        Colour tokens by how likely they were
      </label>
      <Long label="Tools (JSON)" value={settings.tools} set={set('tools')} rows={3} isJson hint={toolHint} />
      <Long
        label="Answer by JSON schema"
        value={settings.schema}
        set={set('schema')}
        rows={3}
        isJson
        hint={schemaHint}
      />
    </form>
  )
}

const toolHint =
  '[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]'
const schemaHint = '{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}'

interface FigureProps {
  label: string
  value: string
  set(value: string): void
  min?: number
  max?: number
  step: number
}

const Figure = ({ label, value, set, min = 0, max, step }: FigureProps) => (
  <label className="field">
    <span>{label}</span>
    <input
      type="number"
      inputMode="decimal"
      placeholder="default"
      value={value}
      min={min}
      max={max}
      step={step}
      onChange={(event) => set(event.target.value)}
    />
  </label>
)

interface LongProps {
  label: string
  value: string
  set(value: string): void
  rows: number
  isJson?: boolean
  hint?: string
}

function Long({ label, value, set, rows, isJson = false, hint }: LongProps): ReactNode {
  const id = useId()
  const wrong = isJson ? jsonProblem(value) : undefined
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className={isJson ? 'mono' : ''}
        rows={rows}
        spellCheck={!isJson}
        placeholder={hint}
        value={value}
        aria-invalid={wrong !== undefined}
        aria-describedby={`${id}-wrong`}
        onChange={(event) => set(event.target.value)}
      />
      <p className="wrong" id={`${id}-wrong`} role="status">
        {wrong}
      </p>
    </div>
  )
}
