import type { ReactNode } from 'react'
import { useSearch } from 'wouter'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import { ServicePage } from '../services/service-page.tsx'
import { BuildTab } from './build-tab.tsx'
import { ContainerDetailView } from './container-detail.tsx'
import { ContainerList } from './container-list.tsx'
import { DiskTab } from './disk-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import { ImagesTab } from './images-tab.tsx'
import { NetworksTab } from './networks-tab.tsx'
import { SwarmTab } from './swarm-tab.tsx'
import { VolumesTab } from './volumes-tab.tsx'

const tabs = {
  containers: 'Containers',
  images: 'Images',
  build: 'Build',
  networks: 'Networks',
  volumes: 'Volumes',
  events: 'Events',
  disk: 'Disk',
  swarm: 'Swarm',
} as const

const views: Record<keyof typeof tabs, () => ReactNode> = {
  containers: ContainerList,
  images: ImagesTab,
  build: BuildTab,
  networks: NetworksTab,
  volumes: VolumesTab,
  events: EventsTab,
  disk: DiskTab,
  swarm: SwarmTab,
}

export function ContainersPage() {
  const tab = useTab(tabs)
  const id = new URLSearchParams(useSearch()).get('container')
  const View = views[tab]
  return (
    <ServicePage
      service="engine"
      title="Containers"
      about="Of this machine's engine. Whoever operates it may do everything here that root may."
      purpose="The engine runs containers, and docker's own tools work with it."
    >
      <Tabs label="Parts of the engine" tabs={tabs} chosen={tab} />
      {id === null ? <View /> : <ContainerDetailView id={id} />}
    </ServicePage>
  )
}
