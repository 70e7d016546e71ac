"""What a record is, by the words of services and programs, as an item type of CSL 1.0.2."""

from __future__ import annotations

CSL_TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter "
    "classic collection dataset document entry entry-dictionary entry-encyclopedia event figure "
    "graphic hearing interview legal_case legislation manuscript map motion_picture "
    "musical_score pamphlet paper-conference patent performance periodical personal_communication "
    "post post-weblog regulation report review review-book software song speech standard thesis "
    "treaty webpage".split()
)

BOOKS = frozenset({"book", "chapter", "thesis", "report", "collection", "dataset", "software"})
"""Types whose publisher tells where they came out."""

_WORDS = {
    "article-journal": "journalarticle journal article review letter editorial erratum retraction "
    "reviewarticle researcharticle originalpaper ieeejournals ieeemagazines earlyaccess jour "
    "lettersandcomments clinicaltrial metaanalysis casereport shortsurvey articleinpress",
    "article-magazine": "magazinearticle mgzn",
    "article-newspaper": "newspaperarticle news",
    "article": "preprint postedcontent",
    "paper-conference": "conferencepaper proceedingsarticle conference conferenceproceedings "
    "inproceedings ieeeconferences conf cpaper proceedingspaper conferencereview",
    "book": "editedbook monograph referencebook proceedings bookseries conferencebook",
    "chapter": "bookchapter booksection bookpart booktrack inbook incollection chap",
    "thesis": "dissertation phdthesis mastersthesis thes",
    "report": "reportseries reportcomponent techreport rprt",
    "dataset": "database data",
    "software": "computerprogram comp",
    "entry-encyclopedia": "encyclopediaarticle referenceentry conferenceworkreferenceentry",
    "entry-dictionary": "dictionaryentry",
    "webpage": "website elec",
    "post-weblog": "blogpost blog",
    "post": "forumpost",
    "periodical": "journalissue journalvolume",
    "review": "peerreview",
    "personal_communication": "letterpersonal email instantmessage",
    "speech": "presentation slide",
    "motion_picture": "film videorecording video",
    "broadcast": "podcast radiobroadcast tvbroadcast",
    "song": "audiorecording",
    "legal_case": "case",
    "legislation": "statute",
    "graphic": "artwork",
    "standard": "ieeestandards",
    "document": "other component paratext libguides supplementarymaterials grant misc gen",
    "patent": "pat",
}
_TYPES = {word: name for name, words in _WORDS.items() for word in words.split()} | {
    "".join(filter(str.isalnum, name)): name for name in CSL_TYPES - {"article", "review"}
}


def item_type(word: str) -> str | None:
    """Return the CSL item type that a word stands for, in any spelling of blanks and capitals.

    "Article" and "review" are what most services call those of journals; CSL's own words mean
    preprints and reviews of works. A word that is not known is a "document"; None means that there
    is no word.
    """
    folded = "".join(filter(str.isalnum, word.lower()))
    return _TYPES.get(folded, "document") if folded else None
