import { sizeText } from '../../parts/texts.ts'
import type { ContainerDetail } from './engine.ts'

export function SettingsView({ container }: { container: ContainerDetail }) {
  const { Config, HostConfig, Mounts, NetworkSettings, Path, Args, State } = container
  const rows: [string, string[]][] = [
    ['Image', [Config.Image]],
    ['Command', [[Path, ...Args].join(' ')]],
    ['Began', [State.StartedAt]],
    ['Ended', State.Running ? [] : [`${State.FinishedAt} with ${State.ExitCode}`]],
    ['Memory', [HostConfig.Memory > 0 ? `at most ${sizeText(HostConfig.Memory)}` : 'without a limit']],
    ['Processors', [HostConfig.NanoCpus > 0 ? `at most ${HostConfig.NanoCpus / 1e9}` : 'without a limit']],
    ['Restarts', [HostConfig.RestartPolicy.Name || 'no']],
    ['Networks', Object.entries(NetworkSettings.Networks).map(([name, { IPAddress }]) => `${name} ${IPAddress}`)],
    [
      'Mounts',
      Mounts.map(({ Name, Source, Destination, RW }) => `${Name ?? Source} → ${Destination}${RW ? '' : ' (ro)'}`),
    ],
    // Values may be secrets: whoever wants them reads them with docker inspect.
    ['Variables', (Config.Env ?? []).map((variable) => variable.split('=')[0] ?? '')],
    ['Labels', Object.entries(Config.Labels ?? {}).map(([name, value]) => `${name}=${value}`)],
  ]
  return (
    <dl className="facts card">
      {rows
        .filter(([, values]) => values.length > 0)
        .map(([name, values]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {values.map((value) => (
                <div key={value} className="long mono">
                  {value}
                </div>
              ))}
            </dd>
          </div>
        ))}
    </dl>
  )
}
