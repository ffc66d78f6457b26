import type { ReactNode } from 'react'
import { useSearch } from 'wouter'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import { ServicePage } from '../services/service-page.tsx'
import { ActionsTab } from './actions-tab.tsx'
import { DatabaseDetail } from './database-detail.tsx'
import { DatabaseList } from './database-list.tsx'
import { ModulesTab } from './modules-tab.tsx'

const tabs = { databases: 'Databases', modules: 'Modules', actions: 'Actions' } as const

const views: Record<keyof typeof tabs, () => ReactNode> = {
  databases: DatabaseList,
  modules: ModulesTab,
  actions: ActionsTab,
}

export function DatabasesPage() {
  const tab = useTab(tabs)
  const uid = new URLSearchParams(useSearch()).get('database')
  const View = views[tab]
  return (
    <ServicePage
      service="cluster"
      title="Databases"
      about="Redis databases of this machine, their modules and upgrades."
      purpose="The cluster keeps Redis databases running and upgrades their modules while clients work."
    >
      <Tabs label="Parts of the cluster" tabs={tabs} chosen={tab} />
      {uid !== null && /^\d{1,15}$/.test(uid) ? <DatabaseDetail uid={Number(uid)} /> : <View />}
    </ServicePage>
  )
}
