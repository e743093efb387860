"""Where documents come from: folders, patterns, lists, manifests; `source_of` tells which one a place means."""

from markitect_tool.pipeline.sources.folder import FolderSource as FolderSource
from markitect_tool.pipeline.sources.folder import GlobSource as GlobSource
from markitect_tool.pipeline.sources.listing import FilesSource as FilesSource
from markitect_tool.pipeline.sources.listing import ListSource as ListSource
from markitect_tool.pipeline.sources.manifest import ManifestSource as ManifestSource
from markitect_tool.pipeline.sources.places import source_of as source_of
