export const projectsPath = '/v1/organization/projects'
/** The page's list, and the choice beside every page. */
export const changedProjects = [projectsPath, 'projects']
