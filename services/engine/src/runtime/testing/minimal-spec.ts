// The smallest OCI configuration that crun and runc both run: for tests of the runtime alone, without a network.
import type { OciProcess, OciResources, OciSpec } from '../runtime.ts'

const capabilities = ['CAP_CHOWN', 'CAP_KILL', 'CAP_SETUID', 'CAP_SETGID', 'CAP_DAC_OVERRIDE']

export function minimalProcess(args: string[], more: Partial<OciProcess> = {}): OciProcess {
  const sets = { bounding: capabilities, effective: capabilities, permitted: capabilities }
  return {
    terminal: false,
    user: { uid: 0, gid: 0 },
    args,
    env: ['PATH=/bin', 'TERM=xterm'],
    cwd: '/',
    capabilities: { ...sets, inheritable: [], ambient: [] },
    ...more,
  }
}

export function minimalSpec(cgroupsPath: string, process: OciProcess, resources: OciResources = {}): OciSpec {
  const mount = (destination: string, type: string, options: string[]) => ({ destination, type, source: type, options })
  return {
    ociVersion: '1.0.2',
    process,
    root: { path: 'rootfs' },
    hostname: 'test',
    mounts: [
      mount('/proc', 'proc', ['nosuid', 'noexec', 'nodev']),
      mount('/dev', 'tmpfs', ['nosuid', 'mode=755', 'size=65536k']),
      mount('/dev/pts', 'devpts', ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620']),
    ],
    linux: {
      namespaces: ['pid', 'network', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      resources,
      cgroupsPath,
    },
  }
}
