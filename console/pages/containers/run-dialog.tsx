// Runs a container of an image that is here; what the engine refuses stands in the dialog.
import { useState } from 'react'
import { askOf } from '../../api/service-client.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { useService } from '../services/use-service.ts'
import { at, type ImageSummary } from './engine.ts'
import { portsOf } from './published-ports.ts'

export function RunDialog({ onRun, onClose }: { onRun(id: string): void; onClose(): void }) {
  const { data: images = [] } = useService<ImageSummary[]>('engine', '/images/json')
  const [image, setImage] = useState('')
  const [name, setName] = useState('')
  const [command, setCommand] = useState('')
  const [ports, setPorts] = useState('')
  const [variables, setVariables] = useState('')
  const [isKept, setIsKept] = useState(true)
  const run = async (): Promise<string> => {
    const { ExposedPorts, PortBindings } = portsOf(ports)
    const body = {
      Image: image.trim(),
      ...(command.trim() === '' ? {} : { Cmd: ['/bin/sh', '-c', command] }),
      Env: variables.split('\n').filter((line) => line.trim() !== ''),
      ExposedPorts,
      HostConfig: { PortBindings, RestartPolicy: { Name: isKept ? 'unless-stopped' : 'no' } },
    }
    const query = name.trim() === '' ? '' : `?name=${encodeURIComponent(name.trim())}`
    const { Id } = await askOf<{ Id: string }>('engine', `/containers/create${query}`, { method: 'POST', body })
    await askOf('engine', at(Id, '/start'), { method: 'POST' })
    return Id
  }
  const tags = images.flatMap(({ RepoTags }) => RepoTags ?? [])
  return (
    <FormDialog
      title="Run a container"
      action="Run it"
      save={run}
      changed={['engine']}
      onSaved={onRun}
      onClose={onClose}
    >
      <ImageField tags={tags} value={image} change={setImage} />
      <TextField label="Name (optional)" value={name} change={setName} isOptional placeholder="web" />
      <TextField
        label="Command, for its shell (optional: the image has its own)"
        value={command}
        change={setCommand}
        isOptional
        maxLength={4_000}
        placeholder="while true; do date; sleep 1; done"
      />
      <TextField
        label="Ports of this machine : of the container (optional)"
        value={ports}
        change={setPorts}
        isOptional
        placeholder="8081:80, 5353:53/udp"
      />
      <label className="field">
        <span>Variables, one to a line (optional)</span>
        <textarea
          className="mono"
          rows={2}
          placeholder="MODE=test"
          value={variables}
          onChange={(event) => setVariables(event.target.value)}
        />
      </label>
      <label className="inline">
        <input type="checkbox" checked={isKept} onChange={(event) => setIsKept(event.target.checked)} />
        <span>Start it again when it ends</span>
      </label>
    </FormDialog>
  )
}

interface ImageProps {
  /** Those that are here. */
  tags: string[]
  value: string
  change(image: string): void
}

const ImageField = ({ tags, value, change }: ImageProps) => (
  <label className="field">
    <span>Image</span>
    <input
      required
      list="images-here"
      maxLength={300}
      placeholder={tags[0] ?? 'Pull one in Images first'}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
    <datalist id="images-here">
      {tags.map((tag) => (
        <option key={tag} value={tag} />
      ))}
    </datalist>
  </label>
)
