#include <stdio.h>
#include <string.h>

#include "hiredis.h"

static const char *const messages[] = {"$3\r\none\r\n", ":0\r\n", ":-2\r\n", ":13\r\n", ":+3\r\n"};

/* Prints each reply, so that it shows which one cannot be read. */
int main(void)
{
    redisReader *reader = redisReaderCreate();
    for (size_t number = 0; number < sizeof messages / sizeof *messages; number++) {
        redisReply *reply = NULL;
        redisReaderFeed(reader, messages[number], strlen(messages[number]));
        if (redisReaderGetReply(reader, (void **)&reply) != REDIS_OK) {
            printf("cannot be read: %s\n", reader->errstr);
            return 1;
        }
        if (reply->type == REDIS_REPLY_STRING)
            printf("'%s'\n", reply->str);
        else
            printf("%lld\n", reply->integer);
        freeReplyObject(reply);
    }
    redisReaderFree(reader);
    return 0;
}
