"""Texts of messages to annotators, of discussions of items, and of curators' saved views."""

from ..languages.language import Texts

TEXTS = Texts(
    "conversations",
    {
        # Messages, as annotators see them
        "message_from": "Message from {name}",
        "message_read": "I have read it",
        # Messages, as curators send them
        "messages": "Messages",
        "messages_why": "Annotators see a message above their work, until they confirm that they have read it.",
        "message_to": "To",
        "message_to_all": "All annotators of this campaign",
        "message_words": "Message",
        "send_message": "Send",
        "message_sent": "The message has been sent.",
        "message_read_by": "Read by {names}.",
        "message_unread": "Not read yet.",
        "message_withdrawn": "Withdrawn by {name}.",
        "withdraw_message": "Withdraw",
        "message_line": "{when}, {by} to {to}",
        # Discussions
        "discussion": "Discussion",
        "discussion_why": "This item is no longer judged, so you see its key and all decisions. Decisions stay as "
        "they are.",
        "no_discussion": "This item cannot be discussed: annotators may still judge it, or you have not decided it.",
        "discussion_later": "Annotators can discuss this item once its campaign is closed and the item is no longer "
        "judged.",
        "no_posts": "No posts yet.",
        "posts": "Posts",
        "posted": "Your post is in the discussion.",
        "not_posted": "This text was not posted; copy it to keep it.",
        "post_words": "Your post",
        "post": "Post",
        "discuss": "Discuss",
        "discuss_n": "Discuss ({count})",
        "decided_n": "{decision}: {count}",
        # Proposals for guidelines
        "proposals": "Points of disagreement",
        "proposals_why": "Reasons that one annotator gave where another accepted the item. State in the guidelines "
        "which of them is right.",
        "proposal_counts": "Items: {items}. Accepted by another annotator: {divided}. Annotators: {annotators}.",
        "insert_proposal": "Add a line to the draft",
        "proposal_line": "**{reason}**: reject where …; accept where …. {notes}",
        # Lists as tables, and saved views
        "columns": "Show as a table with",
        "columns_why": "Without a column the list shows pictures.",
        "column_divided": "Against the majority",
        "column_doubt": "Doubt",
        "column_pictures": "Pictures",
        "column_id": "Id",
        "saved_views": "Saved views",
        "view_name": "Name of this view",
        "save_view": "Save",
        "view_saved": "Saved as {name}. Its link is the address of this page.",
        "open_view": "Open",
        "remove_view": "Remove {name}",
        "no_views": "Search or filter, then save the view under a name.",
        # Similarity
        "by_meaning": "Find by meaning",
        "by_meaning_hint": "What questions are to be about, in your own words",
        "find_questions": "Find similar questions",
        "like_question_is": "Questions like one, the most alike first",
        "likeness": "Likeness",
        "likeness_of": "{share} alike",
        "compared_picture_hashes": "Compared by perceptual hashes, which find copies and not the same subject.",
        "compared_picture_vectors": "Compared by what the vision model {model} sees in the pictures.",
        "compared_sentence_vectors": "Compared by what the sentence model {model} takes questions and options to mean.",
        "compared_words": "Compared by the words that questions and options share, rare ones most; not by meaning.",
        "without_vectors_pictures": "Pictures without a vector, not compared: {count:,} of {total:,}.",
        "without_vectors_words": "Questions without a vector, not compared: {count:,} of {total:,}.",
        "no_model_pictures": "To compare what pictures show, make vectors with the folder of a vision model: "
        "`benchwright review likeness --pictures DIR`.",
        "no_model_words": "To compare by meaning, make vectors with the folder of a sentence model: "
        "`benchwright review likeness --sentences DIR`.",
        "embed_now": "Make the vectors now",
        "embedding_now": "Vectors are being made; the page *Build* shows how far that is.",
    },
)
